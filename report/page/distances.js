// Distances of pairs that should be near and of pairs that should be far.
import { scaleLinear } from "d3-scale";
import { bottom, label, left } from "./axes.js";
import { h, hideTip, line, number, percent, s, showTip, whole } from "./dom.js";
import { drawing, figure, section } from "./figure.js";
import { rows } from "./model.js";

const HEIGHT = 260,
  MARGIN = { left: 46, right: 10, top: 10, bottom: 38 };

const d = rows?.distances;
const [near, far] =
  {
    classes: ["pairs of one class", "pairs of different classes"],
    targets: ["pairs of similar targets (no farther apart than half of all pairs)", "pairs of different targets"],
    tuples: ["pairs that were named as near", "pairs that were named as far"],
  }[d?.kind] ?? [];

function sentence() {
  const first = `How far apart ${near} and ${far} are: the less the two overlap, the better neighbours tell them apart. `;
  if (d.learned.nearer === null) return [first, "There are pairs of one kind only."];
  return [
    first,
    "A pair of the first kind, drawn by chance, is nearer than one of the second in ",
    h("b", {}, percent(d.learned.nearer)),
    ` of all cases under the metric, and in ${percent(d.euclidean.nearer)} by the Euclidean distance`,
    rows.own ? ", on the rows that the metric was learned from." : ".",
  ];
}

function legend() {
  const sample = (shape) => s("svg", { width: 22, height: 14, "aria-hidden": "true" }, shape);
  const filled = s("rect", { width: 22, height: 14, fill: "var(--class0)", "fill-opacity": 0.45 }),
    outlined = s("path", { d: "M0 12H11V3H22", fill: "none", stroke: "var(--class1)", "stroke-width": 2.4 });
  return h(
    "ul",
    { class: "legend", "aria-label": "Legend" },
    h("li", {}, sample(filled), `${near} (${whole(d.near)}), filled`),
    h("li", {}, sample(outlined), `${far} (${whole(d.far)}), outlined`),
  );
}

// Shares of both kinds in percent, and where interval number `bin` begins.
function measure(space) {
  const share = (list, total) => list.map((n) => (total > 0 ? (100 * n) / total : 0));
  const largest = space.largest || 1,
    bins = space.near.length;
  return {
    a: share(space.near, d.near),
    b: share(space.far, d.far),
    bins,
    largest,
    begin: (bin) => (largest * bin) / bins,
  };
}

function drawBars(svg, { a, b, begin }, x, y, colors) {
  const at = (bin) => x(begin(bin)),
    look = { class: "near", fill: colors.classes[0], "fill-opacity": 0.45 };
  a.forEach((v, bin) => {
    const width = Math.max(at(bin + 1) - at(bin), 0.5);
    if (v > 0) svg.append(s("rect", { x: at(bin), y: y(v), width, height: y(0) - y(v), ...look }));
  });
  const steps = b.map((v, bin) => `V${y(v).toFixed(1)}H${at(bin + 1).toFixed(1)}`).join("");
  const outline = `M${at(0)} ${y(0)}${steps}V${y(0)}`;
  svg.append(s("path", { class: "far", d: outline, fill: "none", stroke: colors.classes[1], "stroke-width": 2.2 }));
}

function draw(space, heading, width, colors) {
  const m = measure(space),
    base = HEIGHT - MARGIN.bottom;
  const x = scaleLinear([0, m.largest], [MARGIN.left, width - MARGIN.right]),
    y = scaleLinear([0, Math.max(...m.a, ...m.b) || 1], [base, MARGIN.top]).nice();
  const svg = drawing(width, HEIGHT, `Distances, ${heading}`, colors),
    turned = { transform: `translate(11 ${MARGIN.top}) rotate(-90)`, "text-anchor": "end" };
  svg.append(
    left(y, { x: MARGIN.left, colors, grid: width - MARGIN.left - MARGIN.right }),
    bottom(x, { y: base, colors, ticks: 5 }),
    label(width - MARGIN.right, HEIGHT - 4, "distance √d", colors, { "text-anchor": "end" }),
    label(0, 0, "% of the pairs", colors, turned),
  );
  drawBars(svg, m, x, y, colors);
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect(),
      bin = Math.floor((x.invert(((event.clientX - box.left) * width) / box.width) / m.largest) * m.bins);
    if (bin < 0 || bin >= m.bins) return hideTip();
    showTip(
      event,
      line(h("b", {}, `${number(m.begin(bin))} to ${number(m.begin(bin + 1))}`)),
      line(`${near}: ${whole(space.near[bin])} (${percent(m.a[bin] / 100)})`),
      line(`${far}: ${whole(space.far[bin])} (${percent(m.b[bin] / 100)})`),
    );
  });
  svg.addEventListener("pointerleave", hideTip);
  return svg;
}

export function distances() {
  if (!d) {
    const reason = rows
      ? "Nothing says which of the rows should be near: they have no labels."
      : "The report was made without rows: give some with --data.";
    section("distances", "Distances", reason);
    return;
  }
  const place = section("distances", "Distances", sentence()),
    plots = h("div", { class: "plots" });
  place.append(legend(), plots);
  const panel = (file, heading, space) =>
    figure(plots, { file, heading, draw: (width, colors) => draw(space, heading, width, colors) });
  panel("distances-learned.svg", "Learned metric", d.learned);
  panel("distances-euclidean.svg", "Euclidean", d.euclidean);
}
