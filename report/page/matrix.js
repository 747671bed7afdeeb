// The matrix as a heat map: blue features first, then red, each by weight.
import { pointer } from "d3-selection";
import { count, cut, datum, h, hideTip, line, mix, name, number, showTip, title, whole } from "./dom.js";
import { choice, drawing, figure, section } from "./figure.js";
import { byWeight, edges, features, leftOut, model } from "./model.js";
import { canvasPen, svgPen } from "./pen.js";

const FIRST = 40; // features that are drawn at the start
const LARGEST = Math.max(byWeight[0].weight, edges[0]?.size ?? 0) || 1;

const entries = new Map(edges.map((e) => [e.first * features.length + e.second, e]));
const entry = (i, j) => entries.get(Math.min(i, j) * features.length + Math.max(i, j));
const correlationOf = (i, j) => {
  const known = i === j ? null : (entry(i, j)?.correlation ?? null);
  return known !== null && line(`correlation of the data ${number(+known.toPrecision(4))}`);
};
const forms = {
  m: { value: (i, j) => (i === j ? model.diagonal[i] : -(entry(i, j)?.weight ?? 0)), largest: LARGEST },
  normalized: { value: (i, j) => (i === j ? 1 : (entry(i, j)?.normalized ?? 0)), largest: 1 },
};

// From low over mid to high by the signed square root, which shows small entries beside large ones.
const shade = (value, largest, colors) =>
  mix(colors.mid, value < 0 ? colors.low : colors.high, Math.sqrt(Math.min(Math.abs(value) / largest, 1)));

function sentence() {
  const pairs = (model.features * (model.features - 1)) / 2;
  const sub = (text) => h("sub", {}, text);
  const parts = [
    ["Entry M", sub("ij"), " as a colour: the diagonal holds the weights, an entry off it is an edge, "],
    "negative (blue) for a positive edge and positive (orange) for a negative one. ",
  ];
  if (pairs > 0)
    parts.push(
      `Here ${whole(model.edges)} of ${whole(pairs)} entries above the diagonal are not 0 `,
      `(${+((100 * model.edges) / pairs).toPrecision(2)}\u00a0%)`,
    );
  if (edges.length === 0) return [...parts, "."];
  const most = edges.reduce((best, e) => (Math.abs(e.normalized) > Math.abs(best.normalized) ? e : best));
  parts.push("; of M", sub("ij"), " / √(M", sub("ii"), " M", sub("jj"), "), the largest is ");
  parts.push(datum(most.normalized));
  if (Math.abs(most.normalized) <= 0.95) return [...parts, "."];
  const bold = (i) => h("b", {}, name(features[i].name));
  return [...parts, ", of ", bold(most.first), " and ", bold(most.second), ", which so count as one."];
}

// Room for the labels, where there is any, and the size of a cell.
function layout(width, order) {
  const labelled = order.length <= 60 && width / order.length > 8;
  const longest = Math.max(...order.map((f) => Math.min(f.name.length, 30)));
  const margin = labelled ? Math.min(160, width * 0.26, 16 + 6.4 * longest) : 8;
  const side = Math.min(width - margin - 10, 640);
  return { labelled, margin, side, cell: side / order.length, width: margin + side + 10, height: margin + side + 62 };
}

function paintCells(pen, colors, { order, form, size: { margin, side, cell } }) {
  const { value, largest } = forms[form];
  const place = new Map(order.map((f, at) => [f.i, at])),
    least = Math.max(cell - (cell > 6 ? 1 : 0), 1.2);
  const put = (a, b, v) =>
    v !== 0 && pen.rect(margin + b * cell, margin + a * cell, least, least, shade(v, largest, colors));
  pen.rect(margin, margin, side, side, colors.mid);
  order.forEach((f, at) => put(at, at, value(f.i, f.i)));
  for (const e of edges) {
    const a = place.get(e.first),
      b = place.get(e.second);
    if (a === undefined || b === undefined) continue;
    put(a, b, value(e.first, e.second));
    put(b, a, value(e.first, e.second));
  }
}

// A dashed cross between the blue and the red features.
function paintClasses(pen, colors, { order, size: { margin, side, cell } }) {
  const blue = order.filter((f) => f.color > 0).length,
    at = margin + blue * cell,
    end = margin + side;
  if (blue === 0 || blue === order.length) return;
  const across = [margin, at, end, at],
    down = [at, margin, at, end];
  pen.lines([across, down], { color: colors.ink, width: 1, dash: [4, 3], alpha: 0.7 });
}

function paintLabels(pen, colors, { order, size: { margin, cell } }) {
  const font = Math.min(11, Math.max(8, cell * 0.9));
  order.forEach((f, at) => {
    const text = cut(f.name, Math.floor(margin / 6.3)),
      color = f.color > 0 ? colors.blue : f.color < 0 ? colors.red : colors.ink;
    pen.text(margin - 6, margin + (at + 0.5) * cell, text, { color, size: font, anchor: "end" });
    pen.text(margin + (at + 0.5) * cell, margin - 6, text, { color, size: font, turn: -90 });
  });
}

function paintLegend(pen, colors, { form, size: { margin, side } }) {
  const { largest } = forms[form],
    wide = Math.min(260, side),
    steps = 60,
    x = margin + side - wide,
    y = margin + side + 20;
  for (let step = 0; step < steps; step++) {
    const color = shade(largest * ((2 * step) / (steps - 1) - 1), largest, colors);
    pen.rect(x + (wide * step) / steps, y, wide / steps + 0.5, 11, color);
  }
  ["start", "middle", "end"].forEach((anchor, at) => {
    const value = +(largest * (at - 1)).toPrecision(3);
    pen.text(x + (wide * at) / 2, y + 24, number(value), { color: colors.muted, size: 11, anchor });
  });
}

function paint(pen, colors, state) {
  paintCells(pen, colors, state);
  paintClasses(pen, colors, state);
  paintLegend(pen, colors, state);
  if (state.size.labelled) paintLabels(pen, colors, state);
}

function choose(state, most) {
  state.order = byWeight.slice(0, most).sort((a, b) => b.color - a.color || b.weight - a.weight || a.i - b.i);
  const out = features.length - state.order.length;
  state.note.replaceChildren(
    "Blue features come first, then red, each by weight. Colours go by the square root, so that small entries can be ",
    `seen.${out > 0 ? ` Not drawn: ${count(out, "feature")} of less weight.` : ""}`,
    leftOut > 0 ? ` The ${whole(leftOut)} weakest entries are not in this file and look like 0.` : "",
  );
}

function point(event, { canvas, order, size }) {
  const [x, y] = pointer(event, canvas);
  const a = order[Math.floor((y - size.margin) / size.cell)],
    b = order[Math.floor((x - size.margin) / size.cell)];
  if (!a || !b) return hideTip();
  showTip(
    event,
    title(a.name),
    a !== b && title(b.name),
    line(`M = ${number(forms.m.value(a.i, b.i))}`),
    line(`M_ij/√(M_ii M_jj) ${number(forms.normalized.value(a.i, b.i))}`),
    correlationOf(a.i, b.i),
  );
}

function drawOn(state, width, colors, plot) {
  const { canvas } = state,
    context = canvas.getContext("2d"),
    ratio = devicePixelRatio || 1;
  if (!canvas.isConnected) plot.replaceChildren(canvas);
  const size = (state.size = layout(width, state.order));
  canvas.width = size.width * ratio;
  canvas.height = size.height * ratio;
  canvas.style.width = `${size.width}px`;
  canvas.style.height = `${size.height}px`;
  canvas.dataset.form = state.form;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, size.width, size.height);
  paint(canvasPen(context), colors, state);
  return null;
}

export function matrix() {
  const place = section("matrix", "The matrix M", sentence());
  const canvas = h("canvas", { class: "bare", role: "img", "aria-label": "Heat map of the matrix" });
  const state = { canvas, form: "m", note: h("p", { class: "note" }), size: {}, order: [] };
  const numbers = [...new Set([FIRST, 100, 400, features.length])].filter((n) => n <= features.length);
  const option = (n) => h("option", { value: n }, n === features.length ? "all" : `the ${n} heaviest`);
  const onchange = (event) => {
    choose(state, +event.target.value);
    drawn.redraw();
  };
  choose(state, FIRST);
  const drawn = figure(place, {
    file: "matrix.svg",
    tools: [
      choice("Form of the matrix", ["M", "M_ij/√(M_ii M_jj)"], 0, (which) => {
        state.form = which === 0 ? "m" : "normalized";
        drawn.redraw();
      }),
      features.length > FIRST &&
        h("label", {}, "Features ", h("select", { id: "matrix-most", onchange }, numbers.map(option))),
    ],
    draw: (width, colors, plot) => drawOn(state, width, colors, plot),
    toSvg(colors) {
      const svg = drawing(state.size.width, state.size.height, "Heat map of the matrix", colors);
      paint(svgPen(svg), colors, state);
      return svg;
    },
  });
  canvas.addEventListener("pointermove", (event) => point(event, state));
  canvas.addEventListener("pointerleave", hideTip);
  place.append(state.note);
}
