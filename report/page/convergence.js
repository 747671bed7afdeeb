// Value and bound as the solver went, over iterations and over time, and the number of atoms.
import { scaleLinear, scaleLog } from "d3-scale";
import { curveStepAfter, line as path } from "d3-shape";
import { bottom, label, left } from "./axes.js";
import { count, datum, h, hideTip, line, number, s, seconds, showTip, whole } from "./dom.js";
import { choice, drawing, figure, section } from "./figure.js";
import { model } from "./model.js";

// The panels: values above, atoms below.
const HEIGHT = 330,
  TOP = 14,
  BASE = 214,
  LOW_TOP = 250,
  LOW_BASE = 300,
  LEFT = 58,
  RIGHT = 12;

// The steps, and what came out at the end.
function readPoints() {
  const { stages, points } = model.trajectory;
  const list = points.map(([stage, iteration, time, value, bound, atoms]) => ({
    ...{ stage: stages[stage], iteration, time },
    ...{ value, bound, atoms },
  }));
  list.push({
    stage: "result",
    iteration: Math.max(model.iterations, list.at(-1).iteration),
    time: model.seconds,
    value: model.objective_value,
    bound: model.bound,
    atoms: model.atoms,
  });
  return list;
}

function sentence() {
  const { stages } = model.trajectory;
  return [
    "The value of the metric that the solver holds, and the bound that no other can pass: where they meet, there is ",
    `nothing left to gain. Here it took ${count(model.iterations, "iteration")} and ${seconds(model.seconds)}: `,
    `${model.stop_sentence}. Value `,
    datum(model.objective_value),
    ...(model.bound !== null ? [", bound ", datum(model.bound), "."] : ["; this solver gives no bound."]),
    stages.length > 1
      ? ` The stages were ${stages.join(", ")}; a bound is that of its stage, the last point has the certified one.`
      : "",
  ];
}

/*
 * From where to where values go. Bounds far from the values at the start would press all else flat: they run out of the
 * picture.
 */
function readRange(points) {
  const values = points.map((p) => p.value),
    best = model.objective_value;
  const spread = Math.max(
    ...values.map((v) => Math.abs(v - best)),
    Math.abs(model.gap ?? 0),
    Math.abs(best) * 1e-3,
    1e-300,
  );
  const near = points.map((p) => p.bound).filter((b) => b !== null && Math.abs(b - best) <= 1.5 * spread);
  const low = Math.min(...values, ...near),
    high = Math.max(...values, ...near);
  return {
    linear: [low, low === high ? low + spread : high],
    logarithmic: [Math.min(...values, ...near.filter((b) => b > best / 10)), high],
    positive: values.every((v) => v > 0),
    wide: Math.max(...values) > 8 * Math.min(...values),
  };
}

function drawLines(svg, points, key, x, y, atoms, colors) {
  const over = (value, scale) =>
    path()
      .x((p) => x(p[key]))
      .y((p) => scale(p[value]))
      .defined((p) => p[value] !== null && Number.isFinite(scale(p[value])));
  const id = `clip-${key}`,
    [from, to] = x.range();
  const group = s("g", { "clip-path": `url(#${id})`, fill: "none", "stroke-width": 2.2 });
  const put = (name, d, stroke, dash) => s("path", { class: name, d: d ?? "", stroke, "stroke-dasharray": dash });
  group.append(
    put("bound", over("bound", y)(points), colors.neg, "6 4"),
    put("value", over("value", y)(points), colors.pos),
  );
  for (const p of points.length <= 60 ? points : [points[0], points.at(-1)])
    group.append(s("circle", { cx: x(p[key]), cy: y(p.value), r: 2.6, fill: colors.pos, stroke: "none" }));
  const lower = put("atoms", over("atoms", atoms).curve(curveStepAfter)(points), colors.grey);
  lower.setAttribute("fill", "none");
  lower.setAttribute("stroke-width", 1.8);
  const clip = s("rect", { x: from - 5, y: TOP - 6, width: to - from + 10, height: BASE - TOP + 12 });
  svg.append(s("clipPath", { id }, clip), group, lower);
}

// A line at the step that is pointed at.
function follow(svg, points, key, x, width, colors) {
  const cursor = s("line", { y1: TOP, y2: LOW_BASE, stroke: colors.muted, "stroke-width": 1, visibility: "hidden" });
  svg.append(cursor);
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect(),
      at = x.invert(((event.clientX - box.left) * width) / box.width);
    const p = points.reduce((a, b) => (Math.abs(b[key] - at) < Math.abs(a[key] - at) ? b : a));
    for (const end of ["x1", "x2"]) cursor.setAttribute(end, x(p[key]));
    cursor.setAttribute("visibility", "visible");
    showTip(
      event,
      line(h("b", {}, `iteration ${whole(p.iteration)}`), `, ${seconds(p.time)} (${p.stage})`),
      line(`value ${number(p.value)}`),
      line(`bound ${number(p.bound)}`),
      line(count(p.atoms, "atom")),
    );
  });
  svg.addEventListener("pointerleave", () => {
    cursor.setAttribute("visibility", "hidden");
    hideTip();
  });
}

function draw({ points, range, logarithmic }, key, heading, width, colors) {
  const svg = drawing(width, HEIGHT, `Value and bound over ${heading}`, colors),
    inner = width - LEFT - RIGHT;
  const first = key === "time" ? 0 : Math.min(1, points[0].iteration);
  const x = scaleLinear([first, points.at(-1)[key] || 1], [LEFT, width - RIGHT]);
  const y = logarithmic ? scaleLog(range.logarithmic, [BASE, TOP]) : scaleLinear(range.linear, [BASE, TOP]).nice();
  const atoms = scaleLinear([0, Math.max(...points.map((p) => p.atoms), 1)], [LOW_BASE, LOW_TOP]);
  svg.append(
    left(y, { x: LEFT, colors, grid: inner }),
    left(atoms, { x: LEFT, colors, ticks: 2, grid: inner }),
    bottom(x, { y: LOW_BASE, colors, ticks: Math.min(6, width / 70) }),
    label(width - RIGHT, HEIGHT - 2, heading, colors, { "text-anchor": "end" }),
    label(LEFT, LOW_TOP - 8, "atoms", colors),
  );
  drawLines(svg, points, key, x, y, atoms, colors);
  follow(svg, points, key, x, width, colors);
  return svg;
}

export function convergence() {
  if (!model.trajectory) {
    const reason = "it took no steps, or was written by a gersh that did not record them.";
    section("convergence", "Convergence", `The history of the fit is not in this model: ${reason}`);
    return;
  }
  const place = section("convergence", "Convergence", sentence());
  const points = readPoints(),
    range = readRange(points);
  const state = { points, range, logarithmic: range.positive && range.wide };
  const plots = h("div", { class: "plots" }),
    entry = (look, text) => h("li", {}, h("span", { class: look }), text);
  const legend = [entry("dash", "value"), entry("dash neg", "bound"), entry("mark", "atoms (lower panel)")];
  const rescale = (which) => {
    state.logarithmic = which === 1;
    for (const panel of panels) panel.redraw();
  };
  place.append(h("ul", { class: "legend", "aria-label": "Legend" }, legend));
  if (range.positive) {
    const scales = choice("Scale of the value", ["Linear", "Logarithmic"], +state.logarithmic, rescale);
    place.append(h("div", { class: "bar-of-tools" }, scales));
  }
  place.append(plots);
  const panels = [
    ["iteration", "iterations", "Over iterations"],
    ["time", "seconds", "Over time"],
  ].map(([key, unit, heading]) =>
    figure(plots, {
      file: `convergence-${key === "time" ? "time" : "iterations"}.svg`,
      heading,
      draw: (width, colors) => draw(state, key, unit, width, colors),
    }),
  );
}
