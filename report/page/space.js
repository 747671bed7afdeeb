// The rows in two components: as the metric sees them, and as they are after scaling.
import { extent } from "d3-array";
import { pointer } from "d3-selection";
import { scaleLinear, scaleSequential } from "d3-scale";
import { symbol, symbolCircle, symbolCross, symbolDiamond, symbolSquare, symbolStar, symbolTriangle, symbolWye } from "d3-shape";
import { bottom, label, left } from "./axes.js";
import { count, cut, h, hideTip, line, number, palette, percent, s, showTip, whole } from "./dom.js";
import { drawing, figure, section } from "./figure.js";
import { model, rows } from "./model.js";

const symbols = [symbolCircle, symbolTriangle, symbolSquare, symbolDiamond, symbolCross, symbolStar, symbolWye];
const MOST_CLASSES = 12; // in the legend

const shapeOf = (c) => symbols[c % symbols.length];
const colorOf = (c, colors) => colors.classes[c % colors.classes.length];

function share(space, label_) {
  if (!label_) return null;
  const same = space.neighbor.filter((n, i) => n !== null && label_[n] === label_[i]).length;
  return same / label_.length;
}

function sentence(data) {
  const { learned, euclidean, label: labels } = data;
  const a = share(learned, labels), b = share(euclidean, labels);
  return [
    "Every point is a row, in the two directions in which the rows differ most: left as the metric measures them, right by plain principal components. Point at a row to see its nearest neighbour. ",
    `Here two directions hold ${percent(learned.share[0] + learned.share[1], 0)} of what the metric sees, and ${percent(euclidean.share[0] + euclidean.share[1], 0)} of the scaled rows. `,
    a === null ? "" : ["The nearest neighbour is of the same class for ", h("b", {}, percent(a)), ` of the rows, and for ${percent(b)} by the Euclidean distance`, rows.own ? ", all of them rows that the metric was learned from." : rows.name ? [", of the rows of ", h("bdi", { dir: "auto" }, cut(rows.name, 80)), "."] : "."],
  ];
}

export function space() {
  if (!rows || rows.space.row.length < 2) {
    section("space", "The learned space", "The report was made without rows: give some with --data.");
    return;
  }
  const data = rows.space, labels = data.label, targets = data.target, names = rows.class_names;
  const place = section("space", "The learned space", sentence(data));
  const range = targets && extent(targets);
  const groups = labels ? names.map((_, c) => c) : [0];
  const members = groups.map((c) => data.row.map((_, i) => i).filter((i) => !labels || labels[i] === c));
  const ramp = (colors) => scaleSequential(range, (t) => mix(colors.low, colors.high, t));
  const overlays = [];

  if (labels) {
    const legend = h("ul", { class: "legend", "aria-label": "Classes" });
    const fill = () => legend.replaceChildren(...names.slice(0, MOST_CLASSES).map((text, c) => h("li", {}, s("svg", { width: 14, height: 14, viewBox: "-7 -7 14 14", "aria-hidden": "true" }, s("path", { d: symbol(shapeOf(c), 60)(), fill: `var(--class${c % 8})` })), h("bdi", { class: "name", dir: "auto" }, cut(text, 60)), `(${whole(members[c].length)})`)), ...(names.length > MOST_CLASSES ? [h("li", {}, `and ${whole(names.length - MOST_CLASSES)} more`)] : []));
    fill();
    place.append(legend);
  } else if (targets) place.append(h("p", { class: "note" }, `Colours go from blue (target ${number(range[0])}) to orange (${number(range[1])}).`));

  const say = (i) => (labels ? names[labels[i]] : targets ? number(targets[i]) : null);
  const plots = h("div", { class: "plots" });
  place.append(plots);

  function draw(space_, heading, width, colors) {
    const height = Math.round(Math.min(width * 0.82, 440)), m = { l: 44, r: 10, t: 8, b: 40 };
    const grow = ([a, b]) => (a === b ? [a - 1, b + 1] : [a - (b - a) * 0.04, b + (b - a) * 0.04]);
    const x = scaleLinear(grow(extent(space_.x)), [m.l, width - m.r]), y = scaleLinear(grow(extent(space_.y)), [height - m.b, m.t]);
    const svg = drawing(width, height, heading, colors), size = data.row.length > 400 ? 26 : 44;
    svg.append(left(y, { x: m.l, colors, grid: width - m.l - m.r }), bottom(x, { y: height - m.b, colors, ticks: 5, grid: height - m.b - m.t }));
    svg.append(label(width - m.r, height - 4, `component 1 (${percent(space_.share[0], 0)})`, colors, { "text-anchor": "end" }), label(0, 0, `component 2 (${percent(space_.share[1], 0)})`, colors, { transform: `translate(11 ${m.t}) rotate(-90)`, "text-anchor": "end" }));
    const at = (i) => [x(space_.x[i]), y(space_.y[i])];
    const shift = (d, [dx, dy]) => s("path", { d, transform: `translate(${dx.toFixed(1)} ${dy.toFixed(1)})` });
    const dots = s("g", { class: "points", "fill-opacity": 0.62, stroke: colors.panel, "stroke-width": 0.5 });
    const scale = targets && ramp(colors);
    for (const c of groups) {
      const shape = symbol(shapeOf(c), size)(), group = s("g", { fill: labels ? colorOf(c, colors) : colors.accent });
      for (const i of members[c]) {
        const dot = shift(shape, at(i));
        if (targets) dot.setAttribute("fill", scale(targets[i]));
        group.append(dot);
      }
      dots.append(group);
    }
    const overlay = s("g", { "pointer-events": "none" });
    svg.append(dots, overlay);
    const mark = (i) => {
      overlay.replaceChildren();
      if (i === null) return;
      const n = space_.neighbor[i], [px, py] = at(i), [qx, qy] = at(n);
      overlay.append(s("line", { x1: px, y1: py, x2: qx, y2: qy, stroke: colors.ink, "stroke-width": 1.6 }), s("circle", { cx: px, cy: py, r: 7, fill: "none", stroke: colors.ink, "stroke-width": 2.2 }), s("circle", { cx: qx, cy: qy, r: 5.5, fill: "none", stroke: colors.ink, "stroke-width": 1.6, "stroke-dasharray": "3 2" }));
    };
    overlays.push({ svg, mark });
    svg.addEventListener("pointermove", (event) => {
      const [mx, my] = pointer(event, svg);
      let best = null, least = 18;
      for (let i = 0; i < data.row.length; i++) {
        const [px, py] = at(i), d = Math.hypot(px - mx, py - my);
        if (d < least) [best, least] = [i, d];
      }
      for (const other of overlays) if (other.svg.isConnected) other.mark(best);
      if (best === null) return hideTip();
      const n = space_.neighbor[best], own = say(best), its = say(n);
      showTip(event, line(h("b", {}, `row ${whole(data.row[best])}`), own !== null && [": ", h("bdi", { class: "clamp", dir: "auto" }, cut(own, 80))]), line(`nearest: row ${whole(data.row[n])}`, its !== null && [" (", h("bdi", { dir: "auto" }, cut(its, 80)), ")"], `, at ${number(space_.distance[best])}`));
    });
    svg.addEventListener("pointerleave", () => { overlays.forEach((o) => o.mark(null)); hideTip(); });
    return svg;
  }
  figure(plots, { file: "learned-space.svg", heading: "Learned metric", draw: (width, colors) => draw(data.learned, "Rows in the space of the metric", width, colors) });
  figure(plots, { file: "plain-pca.svg", heading: "Plain PCA", draw: (width, colors) => draw(data.euclidean, "Rows by principal components", width, colors) });
  if (data.row.length < rows.rows) place.append(h("p", { class: "note" }, `Shown: ${whole(data.row.length)} of ${count(rows.rows, "row")}, chosen by chance.`));
}

function mix(from, to, t) {
  const part = (at) => Math.round(parseInt(from.slice(at, at + 2), 16) * (1 - t) + parseInt(to.slice(at, at + 2), 16) * t);
  return `rgb(${part(1)},${part(3)},${part(5)})`;
}
