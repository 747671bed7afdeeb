// The data of the page, and what follows from them.
const read = (id) => JSON.parse(document.getElementById(id).textContent);

export const model = read("model");
export const rows = read("rows");

const color = (i) => (model.colors === null ? 0 : model.colors[i]);
export const colorName = (c) => (c > 0 ? "blue" : c < 0 ? "red" : "grey");

export const edges = model.edge_list
  .map((e) => ({ ...e, size: Math.abs(e.weight) }))
  .sort((a, b) => b.size - a.size || a.first - b.first || a.second - b.second);

export const features = model.feature_names.map((text, i) => ({
  i,
  name: text,
  weight: model.diagonal[i],
  share: model.trace > 0 ? model.diagonal[i] / model.trace : 0,
  color: color(i),
  edges: [], // of those in this file, the strongest first
  degree: model.partners.degree[i],
  partner: model.partners.partner[i],
  partnerWeight: model.partners.weight[i],
}));
for (const edge of edges) {
  features[edge.first].edges.push(edge);
  features[edge.second].edges.push(edge);
}

export const byWeight = [...features].sort((a, b) => b.weight - a.weight || a.i - b.i);
export const other = (edge, i) => features[edge.first === i ? edge.second : edge.first];
export const leftOut = model.edges - edges.length;
