// Distances of pairs that should be near and of pairs that should be far.
import { scaleLinear } from "d3-scale";
import { bottom, label, left } from "./axes.js";
import { h, hideTip, line, number, percent, s, showTip, whole } from "./dom.js";
import { drawing, figure, section } from "./figure.js";
import { rows } from "./model.js";

const words = {
  classes: ["pairs of one class", "pairs of different classes"],
  targets: ["pairs of similar targets (no farther apart than half of all pairs)", "pairs of different targets"],
  tuples: ["pairs that were named as near", "pairs that were named as far"],
};

export function distances() {
  const d = rows?.distances;
  if (!d) {
    section("distances", "Distances", rows ? "Nothing says which of the rows should be near: they have no labels." : "The report was made without rows: give some with --data.");
    return;
  }
  const [near, far] = words[d.kind];
  const both = d.learned.nearer !== null;
  const place = section("distances", "Distances",
    `How far apart ${near} and ${far} are: the less the two overlap, the better neighbours tell them apart. `,
    both ? ["A pair of the first kind, drawn by chance, is nearer than one of the second in ", h("b", {}, percent(d.learned.nearer)), ` of all cases under the metric, and in ${percent(d.euclidean.nearer)} by the Euclidean distance`, rows.own ? ", on the rows that the metric was learned from." : "."] : "There are pairs of one kind only.");
  const swatch = (kind) => s("svg", { width: 22, height: 14, "aria-hidden": "true" }, kind === "near" ? s("rect", { width: 22, height: 14, fill: "var(--class0)", "fill-opacity": 0.45 }) : s("path", { d: "M0 12H11V3H22", fill: "none", stroke: "var(--class1)", "stroke-width": 2.4 }));
  place.append(h("ul", { class: "legend", "aria-label": "Legend" }, h("li", {}, swatch("near"), `${near} (${whole(d.near)}), filled`), h("li", {}, swatch("far"), `${far} (${whole(d.far)}), outlined`)));
  const plots = h("div", { class: "plots" });
  place.append(plots);

  function draw(space, heading, width, colors) {
    const height = 260, m = { l: 46, r: 10, t: 10, b: 38 }, bins = space.near.length;
    const share = (list, total) => list.map((n) => (total > 0 ? n / total : 0));
    const a = share(space.near, d.near), b = share(space.far, d.far);
    const x = scaleLinear([0, space.largest || 1], [m.l, width - m.r]), y = scaleLinear([0, Math.max(...a, ...b) * 100 || 1], [height - m.b, m.t]).nice();
    const edge = (bin) => x(((space.largest || 1) * bin) / bins);
    const svg = drawing(width, height, `Distances, ${heading}`, colors);
    svg.append(left(y, { x: m.l, colors, grid: width - m.l - m.r }), bottom(x, { y: height - m.b, colors, ticks: 5 }), label(width - m.r, height - 4, "distance √d", colors, { "text-anchor": "end" }), label(0, 0, "% of the pairs", colors, { transform: `translate(11 ${m.t}) rotate(-90)`, "text-anchor": "end" }));
    a.forEach((v, bin) => v > 0 && svg.append(s("rect", { class: "near", x: edge(bin), y: y(100 * v), width: Math.max(edge(bin + 1) - edge(bin), 0.5), height: y(0) - y(100 * v), fill: colors.classes[0], "fill-opacity": 0.45 })));
    svg.append(s("path", { class: "far", d: `M${edge(0)} ${y(0)}` + b.map((v, bin) => `V${y(100 * v).toFixed(1)}H${edge(bin + 1).toFixed(1)}`).join("") + `V${y(0)}`, fill: "none", stroke: colors.classes[1], "stroke-width": 2.2 }));
    svg.addEventListener("pointermove", (event) => {
      const box = svg.getBoundingClientRect(), bin = Math.floor((x.invert(((event.clientX - box.left) * width) / box.width) / (space.largest || 1)) * bins);
      if (bin < 0 || bin >= bins) return hideTip();
      showTip(event, line(h("b", {}, `${number((space.largest * bin) / bins)} to ${number((space.largest * (bin + 1)) / bins)}`)), line(`${near}: ${whole(space.near[bin])} (${percent(a[bin])})`), line(`${far}: ${whole(space.far[bin])} (${percent(b[bin])})`));
    });
    svg.addEventListener("pointerleave", hideTip);
    return svg;
  }
  figure(plots, { file: "distances-learned.svg", heading: "Learned metric", draw: (width, colors) => draw(d.learned, "learned metric", width, colors) });
  figure(plots, { file: "distances-euclidean.svg", heading: "Euclidean", draw: (width, colors) => draw(d.euclidean, "Euclidean", width, colors) });
}
