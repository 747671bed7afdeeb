// Draws the feature graph with a pen: edges by sign and width, nodes by colour, labels where there is room.
import { cut } from "./dom.js";
import { colorName } from "./model.js";

const levels = 6; // widths of lines, so that many edges are few paths
const MOST_MOVING = 2500; // edges that are drawn while things move, the strongest; all of them at rest

export const radius = (f, most) => 4 + 15 * Math.sqrt(Math.max(f.weight, 0) / (most || 1));

function edgeBatches(view) {
  const batches = new Map();
  for (const edge of view.moving ? view.edges.slice(0, MOST_MOVING) : view.edges) {
    const a = view.at(edge.source),
      b = view.at(edge.target);
    if (
      (a[0] < 0 && b[0] < 0) ||
      (a[1] < 0 && b[1] < 0) ||
      (a[0] > view.width && b[0] > view.width) ||
      (a[1] > view.height && b[1] > view.height)
    )
      continue;
    const dim = view.focus && !(edge.source === view.focus || edge.target === view.focus);
    const level = Math.ceil((levels * edge.size) / view.largest) || 1;
    const key = `${edge.weight < 0 ? "neg" : "pos"} ${level} ${dim ? 1 : 0}`;
    if (!batches.has(key)) batches.set(key, []);
    batches.get(key).push([a[0], a[1], b[0], b[1]]);
  }
  return batches;
}

function overlaps(boxes, box) {
  return boxes.some((o) => box[0] < o[2] && box[2] > o[0] && box[1] < o[3] && box[3] > o[1]);
}

// Whether the line from (x1, y1) to (x2, y2) meets the box: by cutting the line at each of its sides.
function meets([left, top, right, bottom], [x1, y1, x2, y2]) {
  let from = 0,
    to = 1;
  for (const [start, step, low, high] of [
    [x1, x2 - x1, left, right],
    [y1, y2 - y1, top, bottom],
  ]) {
    if (step === 0) {
      if (start < low || start > high) return false;
      continue;
    }
    const a = (low - start) / step,
      b = (high - start) / step;
    from = Math.max(from, Math.min(a, b));
    to = Math.min(to, Math.max(a, b));
  }
  return from <= to;
}

// The heaviest first; each beside, above or below its node, off the lines where that can be, or not at all.
function placeLabels(view) {
  const boxes = [],
    labels = [];
  const lines =
    view.edges.length <= 400 && !view.moving ? view.edges.map((e) => [...view.at(e.source), ...view.at(e.target)]) : [];
  const inside = view.nodes.filter((n) => {
    const [x, y] = view.at(n);
    return x > 0 && y > 0 && x < view.width && y < view.height;
  });
  for (const n of inside) {
    const [x, y] = view.at(n),
      r = view.size(n) + 1;
    boxes.push([x - r, y - r, x + r, y + r]);
  }
  const wanted = inside
    .filter((n) => !view.near || view.near.has(n))
    .sort((a, b) => (b === view.focus) - (a === view.focus) || b.f.weight - a.f.weight)
    .slice(0, view.mostLabels);
  for (const n of wanted) {
    const text = cut(n.f.name, 26),
      [x, y] = view.at(n),
      w = view.measure(text),
      r = view.size(n) + 5;
    const places = [
      ["start", x + r, y],
      ["end", x - r, y],
      ["middle", x, y - r - 6],
      ["middle", x, y + r + 6],
    ];
    let best = null,
      least = Infinity;
    for (const [anchor, tx, ty] of places) {
      const left = anchor === "start" ? tx : anchor === "end" ? tx - w : tx - w / 2;
      const box = [left - 2, ty - 8, left + w + 2, ty + 8];
      if (box[0] < 2 || box[2] > view.width - 2 || box[1] < 2 || box[3] > view.height - 2 || overlaps(boxes, box))
        continue;
      const crossed = lines.filter((segment) => meets(box, segment)).length;
      if (crossed < least) [best, least] = [{ box, label: [tx, ty, text, anchor, n] }, crossed];
    }
    if (best) {
      boxes.push(best.box);
      labels.push(best.label);
    }
  }
  return labels;
}

export function drawGraph(pen, view, colors) {
  const batches = edgeBatches(view);
  const thin = Math.max(0.25, Math.min(1, Math.sqrt(80 / (view.edges.length || 1)))); // many lines are thin ones
  for (const [key, list] of [...batches].sort((a, b) => (a[0] < b[0] ? 1 : -1))) {
    const [sign, level, dim] = key.split(" ");
    const width = thin * (0.8 + (4.6 * level) / levels);
    const alpha = dim === "1" ? 0.1 : view.edges.length > 1500 ? 0.35 : 0.75;
    pen.lines(list, {
      color: colors[sign],
      width,
      dash: sign === "neg" && !view.moving ? [width + 4, width + 2.5] : null,
      alpha,
    });
  }
  for (const n of view.nodes) {
    const [x, y] = view.at(n);
    if (x < -30 || y < -30 || x > view.width + 30 || y > view.height + 30) continue;
    pen.node(x, y, view.size(n), n.f.color >= 0, {
      fill: colors[colorName(n.f.color)],
      stroke: n === view.focus || n === view.hovered ? colors.ink : colors.panel,
      width: n === view.focus ? 3 : 1.5,
      alpha: view.near && !view.near.has(n) ? 0.15 : 1,
    });
  }
  for (const [x, y, text, anchor, n] of placeLabels(view))
    pen.text(x, y, text, { color: colors.ink, halo: colors.panel, anchor, weight: n === view.focus ? 700 : 400 });
}
