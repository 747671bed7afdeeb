// Value and bound as the solver went, over iterations and over time, and the number of atoms.
import { scaleLinear, scaleLog } from "d3-scale";
import { line as path, curveStepAfter } from "d3-shape";
import { bottom, label, left } from "./axes.js";
import { count, datum, h, hideTip, line, number, s, seconds, showTip, whole } from "./dom.js";
import { choice, drawing, figure, redrawAll, section } from "./figure.js";
import { model } from "./model.js";

export function convergence() {
  const t = model.trajectory;
  if (!t) {
    section("convergence", "Convergence", "The course of the fit is not in this model: it took no steps, or was written by a gersh that did not record them.");
    return;
  }
  const points = t.points.map(([stage, iteration, time, value, bound, atoms]) => ({ stage: t.stages[stage], iteration, time, value, bound, atoms }));
  points.push({ stage: "result", iteration: Math.max(model.iterations, points.at(-1).iteration), time: model.seconds, value: model.objective_value, bound: model.bound, atoms: model.atoms });
  const place = section("convergence", "Convergence",
    "The value of the metric that the solver holds, and the bound that no other can pass: where they meet, there is nothing left to gain. ",
    `Here it took ${count(model.iterations, "iteration")} and ${seconds(model.seconds)}: ${model.stop_sentence}. `,
    model.bound !== null ? ["Value ", datum(model.objective_value), ", bound ", datum(model.bound), "."] : ["Value ", datum(model.objective_value), "; this solver gives no bound."],
    t.stages.length > 1 ? ` The stages were ${t.stages.join(", ")}; a bound is that of its stage, the last point has the certified one.` : "");
  const plots = h("div", { class: "plots" });
  place.append(h("ul", { class: "legend", "aria-label": "Legend" },
    h("li", {}, h("span", { class: "dash" }), "value"), h("li", {}, h("span", { class: "dash neg" }), "certified bound"), h("li", {}, h("span", { class: "mark" }), "atoms (lower panel)")));

  // Bounds far from the values at the start would press all else flat: they run out of the picture.
  const values = points.map((p) => p.value), bounds = points.map((p) => p.bound).filter((b) => b !== null);
  const best = model.objective_value, spread = Math.max(...values.map((v) => Math.abs(v - best)), Math.abs(model.gap ?? 0), Math.abs(best) * 1e-3, 1e-300);
  const positive = values.every((v) => v > 0);
  let logarithmic = positive && Math.max(...values) > 8 * Math.min(...values);
  if (positive) place.append(h("div", { class: "bar-of-tools" }, choice("Scale of the value", ["Linear", "Logarithmic"], logarithmic ? 1 : 0, (which) => { logarithmic = which === 1; redrawAll(); })));
  place.append(plots);
  const near = bounds.filter((b) => Math.abs(b - best) <= 1.5 * spread);
  const domain = [Math.min(...values, ...near), Math.max(...values, ...near)];
  if (domain[0] === domain[1]) domain[1] = domain[0] + spread;

  function draw(key, heading, width, colors) {
    const height = 330, top = 14, main = 200, low = 250, foot = 300, x0 = 58;
    const svg = drawing(width, height, `Value and bound over ${heading}`, colors);
    const x = scaleLinear([key === "time" ? 0 : Math.min(1, points[0].iteration), points.at(-1)[key] || 1], [x0, width - 12]);
    const y = (logarithmic ? scaleLog([Math.min(...values, ...near.filter((b) => b > best / 10)), domain[1]], [top + main, top]) : scaleLinear(domain, [top + main, top]).nice());
    const hasBound = (p) => p.bound !== null && (!logarithmic || p.bound > 0);
    const atoms = scaleLinear([0, Math.max(...points.map((p) => p.atoms), 1)], [foot, low]);
    const id = `clip-${key}`;
    svg.append(s("clipPath", { id }, s("rect", { x: x0 - 5, y: top - 6, width: width - x0, height: main + 12 })));
    svg.append(left(y, { x: x0, colors, grid: width - x0 - 12 }), left(atoms, { x: x0, colors, ticks: 2, grid: width - x0 - 12 }), bottom(x, { y: foot, colors, ticks: Math.min(6, width / 70) }));
    svg.append(label(width - 12, height - 2, heading, colors, { "text-anchor": "end" }), label(x0, low - 8, "atoms", colors));
    const group = s("g", { "clip-path": `url(#${id})`, fill: "none" });
    group.append(s("path", { class: "bound", d: path().x((p) => x(p[key])).y((p) => y(p.bound)).defined(hasBound)(points) ?? "", stroke: colors.neg, "stroke-width": 2.2, "stroke-dasharray": "6 4" }));
    group.append(s("path", { class: "value", d: path().x((p) => x(p[key])).y((p) => y(p.value))(points), stroke: colors.pos, "stroke-width": 2.2 }));
    for (const p of points.length <= 60 ? points : [points[0], points.at(-1)]) group.append(s("circle", { cx: x(p[key]), cy: y(p.value), r: 2.6, fill: colors.pos }));
    svg.append(group, s("path", { class: "atoms", d: path().curve(curveStepAfter).x((p) => x(p[key])).y((p) => atoms(p.atoms))(points), fill: "none", stroke: colors.grey, "stroke-width": 1.8 }));
    const cursor = s("line", { y1: top, y2: foot, stroke: colors.muted, "stroke-width": 1, visibility: "hidden" });
    svg.append(cursor);
    svg.addEventListener("pointermove", (event) => {
      const at = x.invert(((event.clientX - svg.getBoundingClientRect().left) * width) / svg.getBoundingClientRect().width);
      const p = points.reduce((a, b) => (Math.abs(b[key] - at) < Math.abs(a[key] - at) ? b : a));
      for (const end of ["x1", "x2"]) cursor.setAttribute(end, x(p[key]));
      cursor.setAttribute("visibility", "visible");
      showTip(event, line(h("b", {}, `iteration ${whole(p.iteration)}`), `, ${seconds(p.time)} (${p.stage})`), line(`value ${number(p.value)}`), line(`bound ${number(p.bound)}`), line(count(p.atoms, "atom")));
    });
    svg.addEventListener("pointerleave", () => { cursor.setAttribute("visibility", "hidden"); hideTip(); });
    return svg;
  }
  figure(plots, { file: "convergence-iterations.svg", heading: "Over iterations", draw: (width, colors) => draw("iteration", "iterations", width, colors) });
  figure(plots, { file: "convergence-time.svg", heading: "Over time", draw: (width, colors) => draw("time", "seconds", width, colors) });
}
