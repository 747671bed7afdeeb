// The data of the page, and what follows from them.
const read = (id) => JSON.parse(document.getElementById(id).textContent);

export const model = read("model");
export const rows = read("rows");

// What ranks the features: "contribution", "permutation" or, where neither is known, "weight".
export const ranked = model.importance;
const total = ranked.contribution?.reduce((sum, c) => sum + c, 0);

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
  // Contributions as shares of their sum; blind ones as shares of the mean squared distance between classes.
  contribution: ranked.contribution && total ? (ranked.contribution[i] / total) * (ranked.blind ? ranked.separation : 1) : 0,
  permutation: ranked.permutation?.[i],
  importance: ranked.kind === "weight" ? (model.trace > 0 ? model.diagonal[i] / model.trace : 0) : ranked.value[i],
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
export const byImportance = [...features].sort((a, b) => b.importance - a.importance || a.i - b.i);
const apart = model.tuples ? "dissimilar from similar samples" : model.classes > 0 ? "classes" : "targets";
const score = model.classes > 0 ? "the accuracy" : "R²";
export const blindNote = () =>
  ranked.blind &&
  `Means and variances of single features and pairs hardly tell ${apart} apart here (separation ${+ranked.separation.toPrecision(2)}), as in an XOR of two features. `;
export const rankNote = () =>
  ranked.kind === "contribution"
    ? `Importance: what a feature contributes to telling ${apart} apart, as a share of all.`
    : ranked.kind === "permutation"
      ? `Importance: what ${score} on held-out samples, ${+ranked.score.toPrecision(3)}, loses when the feature is permuted.`
      : "Share of the trace of M.";
export const other = (edge, i) => features[edge.first === i ? edge.second : edge.first];
export const leftOut = model.edges - edges.length;
