// Gershgorin discs before and after alignment, seen from the side: each is the interval of its row.
import { scaleLinear } from "d3-scale";
import { bottom, label } from "./axes.js";
import { count, cut, datum, h, hideTip, line, number, s, showTip, title, whole } from "./dom.js";
import { drawing, figure, section } from "./figure.js";
import { byWeight, colorName, features, model } from "./model.js";

const MOST = 36, ROW = 19;

function sentence(least) {
  const before = [
    "Row i of M has a disc with centre M", h("sub", {}, "ii"), " and radius Σ|M", h("sub", {}, "ij"), "|; every eigenvalue lies in one of them, so that the smallest left-end is a lower bound of λ", h("sub", {}, "min"), ". ",
  ];
  if (!model.discs.aligned) return [...before, "The graph is not balanced, so that the discs cannot be aligned: the bound stays ", datum(least), " where λ", h("sub", {}, "min"), " is ", datum(model.lambda_min), "."];
  return [...before, "Here that bound is ", datum(least), ". Scaled by the first eigenvector, all discs of a connected part have their left-ends at its smallest eigenvalue, and the bound becomes ", datum(model.discs.lambda_lower), ": λ", h("sub", {}, "min"), " = ", h("b", {}, datum(model.lambda_min)), ", positive, so that M is a metric."];
}

export function discs() {
  const { radius, aligned, scalar } = model.discs;
  const left = features.map((f) => f.weight - radius[f.i]);
  const least = left.reduce((a, b) => Math.min(a, b), Infinity);
  const place = section("discs", "Gershgorin discs", sentence(least));
  const inEdges = byWeight.filter((f) => radius[f.i] > 0);
  const pool = inEdges.length > 0 ? inEdges : byWeight;
  const shown = pool.slice(0, MOST).sort((a, b) => left[a.i] - left[b.i] || a.i - b.i);
  const panels = aligned ? [["before alignment", radius], ["after alignment", aligned]] : [["before alignment", radius]];
  const low = Math.min(0, ...shown.map((f) => f.weight - radius[f.i])), high = Math.max(...shown.map((f) => f.weight + Math.max(radius[f.i], aligned ? aligned[f.i] : 0)));

  const tipOf = (f) => [
    title(f.name), line(`centre ${number(f.weight)}`), line(`radius ${number(radius[f.i])}, left-end ${number(left[f.i])}`),
    aligned && line(`aligned: radius ${number(aligned[f.i])}, left-end ${number(f.weight - aligned[f.i])}`),
    scalar && line(`scalar ${number(scalar[f.i])}`),
  ];

  function panel(svg, x0, width, y0, [heading, radii], colors, named) {
    const names = named ? Math.min(160, width * 0.36) : 0;
    const x = scaleLinear([low, high], [x0 + names + 8, x0 + width - 8]);
    const bottomLine = y0 + 44 + shown.length * ROW;
    svg.append(label(x0 + names + 8, y0 + 13, heading, colors, { "font-weight": 600, fill: colors.ink }));
    svg.append(bottom(x, { y: bottomLine, colors, ticks: 4, grid: shown.length * ROW + 8 }));
    shown.forEach((f, row) => {
      const y = y0 + 44 + (row + 0.5) * ROW, color = colors[colorName(f.color)];
      const r = radii[f.i], cx = x(f.weight), group = s("g", { class: "disc" });
      group.append(s("rect", { x: x0, y: y - ROW / 2, width, height: ROW, fill: "transparent" }));
      if (named) group.append(s("text", { x: x0 + names, y, "text-anchor": "end", "dominant-baseline": "central", "font-size": 11, fill: colors.ink }, cut(f.name, Math.floor(names / 7))));
      group.append(s("ellipse", { cx, cy: y, rx: Math.max(x(f.weight + r) - cx, 0.5), ry: ROW * 0.36, fill: color, "fill-opacity": 0.22, stroke: color, "stroke-width": 1 }));
      group.append(f.color >= 0 ? s("circle", { cx, cy: y, r: 2.6, fill: color }) : s("rect", { x: cx - 2.4, y: y - 2.4, width: 4.8, height: 4.8, fill: color }));
      group.append(s("line", { x1: x(f.weight - r), x2: x(f.weight - r), y1: y - 5, y2: y + 5, stroke: color, "stroke-width": 2.4 }));
      group.addEventListener("pointermove", (event) => showTip(event, tipOf(f)));
      group.addEventListener("pointerleave", hideTip);
      svg.append(group);
    });
    const at = x(model.lambda_min);
    svg.append(s("line", { x1: at, x2: at, y1: y0 + 32, y2: bottomLine, stroke: colors.ink, "stroke-width": 1.2, "stroke-dasharray": "4 3" }));
    svg.append(s("text", { x: Math.min(at, x0 + width - 90), y: y0 + 28, "font-size": 11, "text-anchor": at - x0 - names > 60 ? "middle" : "start", fill: colors.ink }, `λmin = ${number(model.lambda_min)}`));
    return bottomLine + 26;
  }

  figure(place, {
    file: "gershgorin-discs.svg",
    draw(width, colors) {
      const beside = width > 680 && panels.length > 1;
      const height = (44 + shown.length * ROW + 26) * (beside ? 1 : panels.length);
      const svg = drawing(width, height, "Gershgorin discs of the matrix before and after alignment", colors);
      if (beside) {
        const names = Math.min(160, width * 0.18), half = (width - names - 30) / 2;
        panel(svg, 0, half + names, 0, panels[0], colors, names);
        panel(svg, half + names + 30, half, 0, panels[1], colors, 0);
      } else panels.reduce((y, p) => panel(svg, 0, width, y, p, colors, 1), 0);
      return svg;
    },
  });
  if (shown.length < features.length)
    place.append(h("p", { class: "note" }, `Drawn: ${inEdges.length > 0 ? (shown.length < inEdges.length ? `the ${whole(shown.length)} heaviest of ${count(inEdges.length, "feature")} with edges` : `the ${count(shown.length, "feature")} with edges`) : `the ${whole(shown.length)} heaviest features`}. The discs of features without an edge are points.`));
}
