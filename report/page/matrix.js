// The matrix as a heat map: blue features first, then red, each by weight.
import { pointer } from "d3-selection";
import { count, cut, datum, h, hideTip, line, name, number, showTip, title, whole } from "./dom.js";
import { choice, drawing, figure, section } from "./figure.js";
import { byWeight, edges, features, leftOut, model } from "./model.js";
import { canvasPen, svgPen } from "./pen.js";

const FIRST = 40;
const channel = (hex, at) => parseInt(hex.slice(at, at + 2), 16);

// From low over mid to high by the signed square root, which shows small entries beside large ones.
function shade(value, largest, colors) {
  const t = Math.sqrt(Math.min(Math.abs(value) / largest, 1)), end = value < 0 ? colors.low : colors.high;
  const mix = (at) => Math.round(channel(colors.mid, at) * (1 - t) + channel(end, at) * t);
  return `rgb(${mix(1)},${mix(3)},${mix(5)})`;
}

export function matrix() {
  const entries = new Map();
  for (const e of edges) entries.set(e.first * features.length + e.second, e);
  const entry = (i, j) => entries.get(Math.min(i, j) * features.length + Math.max(i, j));
  const forms = [
    (i, j) => (i === j ? model.diagonal[i] : -(entry(i, j)?.weight ?? 0)),
    (i, j) => (i === j ? 1 : entry(i, j)?.correlation ?? 0),
  ];
  const pairs = (model.features * (model.features - 1)) / 2;
  const strongest = edges.reduce((best, e) => (best === null || Math.abs(e.correlation) > Math.abs(best.correlation) ? e : best), null);
  const place = section("matrix", "The matrix M",
    "Entry M", h("sub", {}, "ij"), " as a colour: the diagonal holds the weights, an entry off it is an edge, negative (blue) for a positive edge and positive (orange) for a negative one. ",
    pairs > 0 ? `Here ${whole(model.edges)} of ${whole(pairs)} entries above the diagonal are not 0 (${+((100 * model.edges) / pairs).toPrecision(2)}\u00a0%)` : "",
    strongest ? ["; in correlation form, M", h("sub", {}, "ij"), " / √(M", h("sub", {}, "ii"), " M", h("sub", {}, "jj"), "), the largest is ", datum(strongest.correlation), Math.abs(strongest.correlation) > 0.95 ? [", of ", h("b", {}, name(features[strongest.first].name)), " and ", h("b", {}, name(features[strongest.second].name)), ", which so count as one."] : "."] : ".");

  const canvas = h("canvas", { role: "img", "aria-label": "Heat map of the matrix" });
  const context = canvas.getContext("2d");
  let form = 0, most = Math.min(FIRST, features.length), size = {}, order = [];

  function choose() {
    order = byWeight.slice(0, most).sort((a, b) => b.color - a.color || b.weight - a.weight || a.i - b.i);
  }
  choose();

  function layout(width) {
    const labelled = order.length <= 60 && width / order.length > 8;
    const longest = Math.max(...order.map((f) => Math.min(f.name.length, 30)));
    const margin = labelled ? Math.min(160, width * 0.26, 16 + 6.4 * longest) : 8;
    const side = Math.min(width - margin - 10, 640);
    return { labelled, margin, side, cell: side / order.length, width: margin + side + 10, height: margin + side + 62 };
  }

  function paint(pen, colors) {
    const { margin, side, cell, labelled } = size, value = forms[form], place_ = new Map(order.map((f, at) => [f.i, at]));
    const largest = form === 1 ? 1 : Math.max(byWeight[0].weight, edges[0]?.size ?? 0) || 1, least = Math.max(cell - (cell > 6 ? 1 : 0), 1.2);
    pen.rect(margin, margin, side, side, colors.mid);
    const put = (a, b, v) => v !== 0 && pen.rect(margin + b * cell, margin + a * cell, least, least, shade(v, largest, colors));
    order.forEach((f, at) => put(at, at, value(f.i, f.i)));
    for (const e of edges) {
      const a = place_.get(e.first), b = place_.get(e.second);
      if (a === undefined || b === undefined) continue;
      put(a, b, value(e.first, e.second));
      put(b, a, value(e.first, e.second));
    }
    const blue = order.filter((f) => f.color > 0).length;
    if (blue > 0 && blue < order.length) {
      const at = margin + blue * cell;
      pen.lines([[margin, at, margin + side, at], [at, margin, at, margin + side]], { color: colors.ink, width: 1, dash: [4, 3], alpha: 0.7 });
    }
    legend(pen, colors, largest);
    if (labelled) order.forEach((f, at) => {
      const text = cut(f.name, Math.floor(margin / 6.3)), color = f.color > 0 ? colors.blue : f.color < 0 ? colors.red : colors.ink, font = Math.min(11, Math.max(8, cell * 0.9));
      pen.text(margin - 6, margin + (at + 0.5) * cell, text, { color, size: font, anchor: "end" });
      pen.text(margin + (at + 0.5) * cell, margin - 6, text, { color, size: font, turn: -90 });
    });
  }

  function legend(pen, colors, largest) {
    const { margin, side } = size, wide = Math.min(260, side), x = margin + side - wide, y = margin + side + 20, steps = 60;
    for (let step = 0; step < steps; step++) pen.rect(x + (wide * step) / steps, y, wide / steps + 0.5, 11, shade(largest * ((2 * step) / (steps - 1) - 1), largest, colors));
    for (const [at, value, anchor] of [[0, -largest, "start"], [0.5, 0, "middle"], [1, largest, "end"]]) pen.text(x + wide * at, y + 24, number(+value.toPrecision(3)), { color: colors.muted, size: 11, anchor });
  }

  const drawn = figure(place, {
    file: "matrix.svg",
    tools: [
      choice("Form of the matrix", ["M", "Correlation form"], 0, (which) => { form = which; canvas.dataset.form = which ? "correlation" : "m"; drawn.redraw(); }),
      features.length > FIRST && h("label", {}, "Features ", h("select", { id: "matrix-most", onchange: (event) => { most = +event.target.value; choose(); drawn.redraw(); say(); } },
        [FIRST, 100, 400, features.length].filter((n, at, list) => n <= features.length && list.indexOf(n) === at).map((n) => h("option", { value: n }, n === features.length ? "all" : `the ${n} heaviest`)))),
    ],
    draw(width, colors, plot) {
      if (!canvas.isConnected) plot.replaceChildren(canvas);
      const ratio = devicePixelRatio || 1;
      size = layout(width);
      canvas.width = size.width * ratio;
      canvas.height = size.height * ratio;
      canvas.style.width = `${size.width}px`;
      canvas.style.height = `${size.height}px`;
      canvas.style.border = "0";
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, size.width, size.height);
      paint(canvasPen(context), colors);
      return null;
    },
    toSvg(colors) {
      const svg = drawing(size.width, size.height, "Heat map of the matrix", colors);
      paint(svgPen(svg), colors);
      return svg;
    },
  });
  canvas.dataset.form = "m";
  canvas.addEventListener("pointermove", (event) => {
    const [x, y] = pointer(event, canvas);
    const a = order[Math.floor((y - size.margin) / size.cell)], b = order[Math.floor((x - size.margin) / size.cell)];
    if (!a || !b) return hideTip();
    showTip(event, title(a.name), a !== b && title(b.name), line(`M = ${number(forms[0](a.i, b.i))}`), line(`correlation form ${number(forms[1](a.i, b.i))}`));
  });
  canvas.addEventListener("pointerleave", hideTip);
  const note = h("p", { class: "note" });
  const say = () => {
    const out = features.length - order.length;
    note.textContent = `Blue features come first, then red, each by weight. Colours go by the square root, so that small entries can be seen.${out > 0 ? ` Not drawn: ${count(out, "feature")} of less weight.` : ""}${leftOut > 0 ? ` The ${whole(leftOut)} weakest entries are not in this file and look like 0.` : ""}`;
  };
  say();
  place.append(note);
}
