// The rows in two components: as the metric sees them, and as they are after scaling.
import { extent } from "d3-array";
import { scaleLinear } from "d3-scale";
import { pointer } from "d3-selection";
import {
  symbol,
  symbolCircle,
  symbolCross,
  symbolDiamond,
  symbolSquare,
  symbolStar,
  symbolTriangle,
  symbolWye,
} from "d3-shape";
import { bottom, label, left } from "./axes.js";
import { count, cut, h, hideTip, line, mix, number, percent, s, showTip, whole } from "./dom.js";
import { drawing, figure, section } from "./figure.js";
import { rows } from "./model.js";

const symbols = [symbolCircle, symbolTriangle, symbolSquare, symbolDiamond, symbolCross, symbolStar, symbolWye];
const MOST_CLASSES = 12; // in the legend
const REACH = 18; // pixels from the pointer to a row
const MARGIN = { left: 44, right: 10, top: 8, bottom: 40 };

const data = rows?.space;
const symbolOf = (c, size) => symbol(symbols[c % symbols.length], size)();
const classNumber = (c) => c % 8;
const foreign = (text) => h("bdi", { dir: "auto" }, cut(text, 80));

// What is known of a row, as text; null where nothing is.
function known(i) {
  if (data.label) return rows.class_names[data.label[i]];
  return data.target ? number(data.target[i]) : null;
}

// The share of rows whose nearest neighbour is of their class.
const agreement = (space) => space.neighbor.filter((n, i) => data.label[n] === data.label[i]).length / data.row.length;

function sentence() {
  const held = (space) => percent(space.share[0] + space.share[1], 0);
  const parts = [
    "Every point is a row, in the two directions in which the rows differ most: left as the metric measures them, ",
    "right by plain principal components. Point at a row to see its nearest neighbour. ",
    `Here two directions hold ${held(data.learned)} of what the metric sees, and ${held(data.euclidean)} of the scaled rows. `,
  ];
  if (!data.label) return parts;
  parts.push("The nearest neighbour is of the same class for ", h("b", {}, percent(agreement(data.learned))));
  parts.push(` of the rows, and for ${percent(agreement(data.euclidean))} by the Euclidean distance`);
  if (rows.own) return [...parts, ", all of them rows that the metric was learned from."];
  return rows.name ? [...parts, ", of the rows of ", foreign(rows.name), "."] : [...parts, "."];
}

function legend() {
  if (data.target) {
    const [low, high] = extent(data.target);
    return h("p", { class: "note" }, `Colours go from blue (target ${number(low)}) to orange (${number(high)}).`);
  }
  if (!data.label) return null;
  const names = rows.class_names;
  const sample = (c) =>
    s(
      "svg",
      { width: 14, height: 14, viewBox: "-7 -7 14 14", "aria-hidden": "true" },
      s("path", { d: symbolOf(c, 60), fill: `var(--class${classNumber(c)})` }),
    );
  const size = (c) => `(${whole(data.label.filter((other) => other === c).length)})`;
  const items = names
    .slice(0, MOST_CLASSES)
    .map((text, c) => h("li", {}, sample(c), h("bdi", { class: "name", dir: "auto" }, cut(text, 60)), size(c)));
  if (names.length > MOST_CLASSES) items.push(h("li", {}, `and ${whole(names.length - MOST_CLASSES)} more`));
  return h("ul", { class: "legend", "aria-label": "Classes" }, items);
}

function drawPoints(at, colors) {
  const size = data.row.length > 400 ? 26 : 44,
    group = s("g", { class: "points", "fill-opacity": 0.62, stroke: colors.panel, "stroke-width": 0.5 });
  const share = data.target && scaleLinear(extent(data.target), [0, 1]);
  data.row.forEach((_, i) => {
    const c = data.label ? data.label[i] : 0,
      [x, y] = at(i);
    const own = data.label ? colors.classes[classNumber(c)] : colors.accent,
      fill = share ? mix(colors.low, colors.high, share(data.target[i])) : own;
    group.append(s("path", { d: symbolOf(c, size), fill, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` }));
  });
  return group;
}

function drawFrame(svg, x, y, space, width, height, colors) {
  const inner = width - MARGIN.left - MARGIN.right,
    base = height - MARGIN.bottom;
  const caption = (c) => `component ${c + 1} (${percent(space.share[c], 0)})`;
  svg.append(
    left(y, { x: MARGIN.left, colors, grid: inner }),
    bottom(x, { y: base, colors, ticks: 5, grid: base - MARGIN.top }),
    label(width - MARGIN.right, height - 4, caption(0), colors, { "text-anchor": "end" }),
    label(0, 0, caption(1), colors, { transform: `translate(11 ${MARGIN.top}) rotate(-90)`, "text-anchor": "end" }),
  );
}

// A row and its neighbour, ringed and joined.
function drawMark(i, space, at, colors) {
  const [x1, y1] = at(i),
    [x2, y2] = at(space.neighbor[i]),
    ring = { fill: "none", stroke: colors.ink };
  return [
    s("line", { x1, y1, x2, y2, stroke: colors.ink, "stroke-width": 1.6 }),
    s("circle", { cx: x1, cy: y1, r: 7, "stroke-width": 2.2, ...ring }),
    s("circle", { cx: x2, cy: y2, r: 5.5, "stroke-width": 1.6, "stroke-dasharray": "3 2", ...ring }),
  ];
}

function tipOf(i, space) {
  const n = space.neighbor[i],
    own = known(i),
    its = known(n);
  return [
    line(h("b", {}, `row ${whole(data.row[i])}`), own !== null && [": ", foreign(own)]),
    line(
      `nearest: row ${whole(data.row[n])}`,
      its !== null && [" (", foreign(its), ")"],
      `, at ${number(space.distance[i])}`,
    ),
  ];
}

function nearest(x, y, at) {
  let best = null,
    least = REACH;
  for (let i = 0; i < data.row.length; i++) {
    const [px, py] = at(i),
      d = Math.hypot(px - x, py - y);
    if (d < least) [best, least] = [i, d];
  }
  return best;
}

// marks[which] shows a row in that panel: a row that is pointed at is shown in both.
function draw(which, heading, marks, width, colors) {
  const space = data[which],
    height = Math.round(Math.min(width * 0.82, 440));
  const grow = ([a, b]) => (a === b ? [a - 1, b + 1] : [a - (b - a) * 0.04, b + (b - a) * 0.04]);
  const x = scaleLinear(grow(extent(space.x)), [MARGIN.left, width - MARGIN.right]),
    y = scaleLinear(grow(extent(space.y)), [height - MARGIN.bottom, MARGIN.top]);
  const at = (i) => [x(space.x[i]), y(space.y[i])];
  const svg = drawing(width, height, heading, colors),
    overlay = s("g", { "pointer-events": "none" });
  drawFrame(svg, x, y, space, width, height, colors);
  svg.append(drawPoints(at, colors), overlay);
  marks[which] = (i) => overlay.replaceChildren(...(i === null ? [] : drawMark(i, space, at, colors)));
  const show = (i) => Object.values(marks).forEach((mark) => mark(i));
  svg.addEventListener("pointermove", (event) => {
    const i = nearest(...pointer(event, svg), at);
    show(i);
    if (i === null) hideTip();
    else showTip(event, tipOf(i, space));
  });
  svg.addEventListener("pointerleave", () => {
    show(null);
    hideTip();
  });
  return svg;
}

export function space() {
  if (!data || data.row.length < 2) {
    section("space", "The learned space", "The report was made without rows, or with one: give some with --data.");
    return;
  }
  const place = section("space", "The learned space", sentence());
  const plots = h("div", { class: "plots" }),
    marks = {};
  const panel = (which, file, heading, words) =>
    figure(plots, { file, heading, draw: (width, colors) => draw(which, words, marks, width, colors) });
  place.append(...[legend(), plots].filter(Boolean));
  panel("learned", "learned-space.svg", "Learned metric", "Rows in the space of the metric");
  panel("euclidean", "plain-pca.svg", "Plain PCA", "Rows by principal components");
  if (data.row.length < rows.rows)
    place.append(
      h("p", { class: "note" }, `Shown: ${whole(data.row.length)} of ${count(rows.rows, "row")}, chosen by chance.`),
    );
}
