// Axes of figures, in the colours of the page.
import { axisBottom, axisLeft } from "d3-axis";
import { format } from "d3-format";
import { select } from "d3-selection";
import { s } from "./dom.js";

const short = format("~g"),
  si = format(".3~s");
export const tick = (value) => {
  const size = Math.abs(value);
  return (
    size >= 1e4 ? si(value) : size !== 0 && size < 1e-3 ? format(".2~e")(value) : short(+value.toPrecision(6))
  ).replace("-", "−");
};

function style(group, colors) {
  group.attr("font-family", null).attr("font-size", 11).attr("color", colors.muted);
  group.select(".domain").attr("stroke", colors.line);
  group.selectAll(".tick line").attr("stroke", colors.line);
  return group.node();
}

export function bottom(scale, { y, colors, ticks = 5, grid = 0 }) {
  const axis = axisBottom(scale).ticks(ticks).tickSizeOuter(0).tickFormat(tick).tickSizeInner(5);
  const group = select(s("g", { transform: `translate(0 ${y})` })).call(axis);
  if (grid) group.selectAll(".tick line").attr("y1", -grid);
  return style(group, colors);
}

export function left(scale, { x, colors, ticks = 5, grid = 0 }) {
  const axis = axisLeft(scale).ticks(ticks).tickSizeOuter(0).tickFormat(tick);
  const group = select(s("g", { transform: `translate(${x} 0)` })).call(
    scale.base ? axis.tickValues(scale.ticks().filter((value) => /^[125]e/.test(value.toExponential()))) : axis,
  );
  if (grid) group.selectAll(".tick line").attr("x2", grid);
  group.select(".domain").remove();
  return style(group, colors);
}

export const label = (x, y, text, colors, more = {}) =>
  s("text", { x, y, fill: colors.muted, "font-size": 12, ...more }, text);
