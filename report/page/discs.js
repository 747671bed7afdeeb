// Gershgorin discs before and after alignment, seen from the side: each is the interval of its row.
import { scaleLinear } from "d3-scale";
import { bottom, label } from "./axes.js";
import { count, cut, datum, h, hideTip, line, number, s, showTip, title, whole } from "./dom.js";
import { drawing, figure, section } from "./figure.js";
import { byWeight, colorName, features, model } from "./model.js";

const MOST = 36; // discs that are drawn
const ROW = 19,
  HEAD = 44,
  FOOT = 26;

const { radius, aligned, scalar } = model.discs;
const leftEnd = (f) => f.weight - radius[f.i];
const lambda = () => ["λ", h("sub", {}, "min")];

function sentence() {
  const least = features.reduce((a, f) => Math.min(a, leftEnd(f)), Infinity);
  const before = [
    ["Row i of M has a disc with centre M", h("sub", {}, "ii"), " and radius Σ|M", h("sub", {}, "ij"), "|; "],
    "every eigenvalue lies in one of them, so that the smallest left-end is a lower bound of ",
    ...[lambda(), ". "],
  ];
  if (!aligned)
    return [
      before,
      "The graph is not balanced, so that the discs cannot be aligned: the bound stays ",
      ...[datum(least), " where ", lambda(), " is ", datum(model.lambda_min), "."],
    ];
  return [
    ...[before, "Here that bound is ", datum(least)],
    ". Scaled by the first eigenvector, all discs of a connected part have their left-ends at its smallest ",
    "eigenvalue, and the bound becomes ",
    ...[datum(model.discs.lambda_lower), ": ", lambda(), " = ", h("b", {}, datum(model.lambda_min))],
    model.lambda_min > 0 ? ", positive, so that M is a metric." : ".",
  ];
}

function tipOf(f) {
  return [
    title(f.name),
    line(`centre ${number(f.weight)}`),
    line(`radius ${number(radius[f.i])}, left-end ${number(leftEnd(f))}`),
    aligned && line(`aligned: radius ${number(aligned[f.i])}, left-end ${number(f.weight - aligned[f.i])}`),
    scalar && line(`scalar ${number(scalar[f.i])}`),
  ];
}

// A disc of that radius, with its centre and its left-end.
function drawDisc(f, r, x, y, colors) {
  const color = colors[colorName(f.color)],
    cx = x(f.weight),
    end = x(f.weight - r);
  const look = { fill: color, "fill-opacity": 0.22, stroke: color, "stroke-width": 1 };
  return [
    s("ellipse", { cx, cy: y, rx: Math.max(x(f.weight + r) - cx, 0.5), ry: ROW * 0.36, ...look }),
    f.color >= 0
      ? s("circle", { cx, cy: y, r: 2.6, fill: color })
      : s("rect", { x: cx - 2.4, y: y - 2.4, width: 4.8, height: 4.8, fill: color }),
    s("line", { x1: end, x2: end, y1: y - 5, y2: y + 5, stroke: color, "stroke-width": 2.4 }),
  ];
}

function drawLambda(x, from, to, left, right, colors) {
  const at = x(model.lambda_min),
    text = `λmin = ${number(model.lambda_min)}`;
  const stroke = { stroke: colors.ink, "stroke-width": 1.2, "stroke-dasharray": "4 3" };
  const anchor = at - left > 60 ? "middle" : "start";
  return [
    s("line", { x1: at, x2: at, y1: from + 8, y2: to, ...stroke }),
    s(
      "text",
      { x: Math.min(at, right - 90), y: from + 4, "font-size": 11, "text-anchor": anchor, fill: colors.ink },
      text,
    ),
  ];
}

// All discs of one kind in the box from (x0, y0) on, of which the names take `names`.
function drawPanel(svg, { x0, y0, width, names }, { heading, radii }, { shown, domain }, colors) {
  const x = scaleLinear(domain, [x0 + names + 8, x0 + width - 8]),
    base = y0 + HEAD + shown.length * ROW;
  svg.append(
    label(x0 + names + 8, y0 + 13, heading, colors, { "font-weight": 600, fill: colors.ink }),
    bottom(x, { y: base, colors, ticks: 4, grid: shown.length * ROW + 8 }),
  );
  shown.forEach((f, row) => {
    const y = y0 + HEAD + (row + 0.5) * ROW,
      font = { "font-size": 11, fill: colors.ink, "text-anchor": "end", "dominant-baseline": "central" };
    const group = s(
      "g",
      { class: "disc" },
      s("rect", { x: x0, y: y - ROW / 2, width, height: ROW, fill: "transparent" }),
    );
    if (names > 0) group.append(s("text", { x: x0 + names, y, ...font }, cut(f.name, Math.floor(names / 6.7))));
    group.append(...drawDisc(f, radii[f.i], x, y, colors));
    group.addEventListener("pointermove", (event) => showTip(event, tipOf(f)));
    group.addEventListener("pointerleave", hideTip);
    svg.append(group);
  });
  svg.append(...drawLambda(x, y0 + 24, base, x0 + names, x0 + width, colors));
}

function draw(panels, chosen, width, colors) {
  const beside = width > 680 && panels.length > 1,
    tall = HEAD + chosen.shown.length * ROW + FOOT;
  const svg = drawing(
    width,
    tall * (beside ? 1 : panels.length),
    "Gershgorin discs of the matrix before and after alignment",
    colors,
  );
  const names = Math.min(160, width * (beside ? 0.18 : 0.36)),
    half = (width - names - 30) / 2;
  panels.forEach((panel, at) => {
    const box = beside
      ? {
          x0: at === 0 ? 0 : half + names + 30,
          y0: 0,
          width: at === 0 ? half + names : half,
          names: at === 0 ? names : 0,
        }
      : { x0: 0, y0: at * tall, width, names };
    drawPanel(svg, box, panel, chosen, colors);
  });
  return svg;
}

function noteOf(shown, joined) {
  const what =
    joined.length === 0
      ? `the ${whole(shown.length)} heaviest features`
      : shown.length < joined.length
        ? `the ${whole(shown.length)} heaviest of ${count(joined.length, "feature")} with edges`
        : `the ${count(shown.length, "feature")} with edges`;
  return h("p", { class: "note" }, `Drawn: ${what}. The discs of features without an edge are points.`);
}

export function discs() {
  const place = section("discs", "Gershgorin discs", sentence());
  const joined = byWeight.filter((f) => radius[f.i] > 0);
  const shown = (joined.length > 0 ? joined : byWeight)
    .slice(0, MOST)
    .sort((a, b) => leftEnd(a) - leftEnd(b) || a.i - b.i);
  const panels = [{ heading: "before alignment", radii: radius }];
  if (aligned) panels.push({ heading: "after alignment", radii: aligned });
  const domain = [
    Math.min(0, ...shown.map(leftEnd)),
    Math.max(...shown.map((f) => f.weight + Math.max(...panels.map(({ radii }) => radii[f.i])))),
  ];
  figure(place, {
    file: "gershgorin-discs.svg",
    draw: (width, colors) => draw(panels, { shown, domain }, width, colors),
  });
  if (shown.length < features.length) place.append(noteOf(shown, joined));
}
