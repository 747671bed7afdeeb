// Where a layout begins: connected parts beside each other on a spiral, each with its nodes close together, so that
// the forces need not untangle one part from another.
const TURN = Math.PI * (3 - Math.sqrt(5)); // the angle that fills a disc evenly
const ROOM = 46; // between neighbours

// The connected part of a node, nearest first, with the steps to each.
function partOf(node, neighbors) {
  const depth = new Map([[node, 0]]);
  for (const [at, steps] of depth)
    for (const next of neighbors.get(at) ?? []) if (!depth.has(next)) depth.set(next, steps + 1);
  return depth;
}

// Places around 0: of a tree, or nearly one, in rows by their distance from one end, so that chains are stretched out;
// of any other part evenly over a disc.
function shapeOf(part, neighbors) {
  const edges = part.reduce((sum, node) => sum + (neighbors.get(node)?.length ?? 0), 0) / 2;
  if (edges > part.length)
    return part.map((node, at) => [
      node,
      0.6 * ROOM * Math.sqrt(at) * Math.cos(at * TURN),
      0.6 * ROOM * Math.sqrt(at) * Math.sin(at * TURN),
    ]);
  const depth = partOf(part.at(-1), neighbors),
    rows = [];
  for (const [node, steps] of depth) (rows[steps] ??= []).push(node);
  return rows.flatMap((row, steps) =>
    row.map((node, at) => [node, ROOM * (steps - (rows.length - 1) / 2), 0.8 * ROOM * (at - (row.length - 1) / 2)]),
  );
}

// Gives every node that has no place one; edges have source and target.
export function placeNodes(nodes, edges) {
  const neighbors = new Map();
  const join = (a, b) => (neighbors.has(a) ? neighbors.get(a).push(b) : neighbors.set(a, [b]));
  for (const { source, target } of edges) {
    join(source, target);
    join(target, source);
  }
  const seen = new Set(),
    parts = [];
  for (const node of nodes) {
    if (seen.has(node)) continue;
    const part = [...partOf(node, neighbors).keys()];
    for (const member of part) seen.add(member);
    parts.push(part);
  }
  parts.sort((a, b) => b.length - a.length);
  let before = 0;
  parts.forEach((part, which) => {
    const reach = which === 0 ? 0 : ROOM * Math.sqrt(before + part.length / 2),
      angle = which * TURN;
    const old = part.find((node) => node.x !== undefined); // a part that grows, grows where it is
    const [x0, y0] = old ? [old.x, old.y] : [reach * Math.cos(angle), reach * Math.sin(angle)];
    for (const [node, x, y] of shapeOf(part, neighbors)) if (node.x === undefined) [node.x, node.y] = [x0 + x, y0 + y];
    before += part.length;
  });
}
