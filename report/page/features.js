// The features and what was learned of each, the discriminants among them.
import { count, datum, h, name, percent, whole } from "./dom.js";
import { section } from "./figure.js";
import { showInGraph } from "./graph.js";
import { byWeight, colorName, discriminants, features, model, node, other } from "./model.js";
import { table } from "./table.js";

const FIRST = 30 + discriminants.length;

const partner = (f) => (f.partner !== null ? features[f.partner] : null);
const frequency = (f) => f.edges.find((e) => other(e, f.i) === partner(f))?.frequency;
const columns = [
  {
    key: "feature",
    text: true,
    of: (f) => f.name,
    show: (f) =>
      h(
        "button",
        { type: "button", class: "plain", title: "Show in the graph", onclick: () => showInGraph(f.i) },
        h("span", { class: `mark ${colorName(f.color)}${f.sum ? " ring" : ""}` }),
        name(f.name),
      ),
  },
  { key: "weight", of: (f) => f.weight, show: (f) => datum(f.weight) },
  { key: "share", of: (f) => f.share, show: (f) => percent(f.share, 2) },
  {
    key: "colour",
    text: true,
    of: (f) => (f.color ? colorName(f.color) : ""),
    show: (f) => (f.color ? colorName(f.color) : "none"),
  },
  { key: "edges", of: (f) => f.degree, show: (f) => whole(f.degree) },
  {
    key: "strongest partner",
    text: true,
    of: (f) => partner(f)?.name ?? "",
    show: (f) => (partner(f) ? name(partner(f).name) : "none"),
  },
  {
    key: "sign",
    text: true,
    of: (f) => (f.partner === null ? "" : f.partnerWeight < 0 ? "negative" : "positive"),
    show: (f) => (f.partner === null ? "" : f.partnerWeight < 0 ? "− negative" : "+ positive"),
  },
  {
    key: "edge weight",
    of: (f) => f.partnerWeight ?? 0,
    show: (f) => (f.partner !== null ? datum(f.partnerWeight) : ""),
  },
  model.bootstrap && {
    key: "frequency",
    of: (f) => frequency(f) ?? "",
    show: (f) => (frequency(f) !== undefined ? percent(frequency(f), 0) : ""),
  },
].filter(Boolean);

export function featureTable() {
  const heavy = byWeight.filter((f) => f.share > 0.01);
  const place = section(
    "features",
    "Features",
    `Every feature${discriminants.length > 0 ? " and discriminant" : ""} with its weight, and the other that it acts with most. `,
    `Here ${count(heavy.length, node)} of ${whole(features.length)} have more than 1\u00a0% of the weight each, and ${percent(
      heavy.reduce((sum, f) => sum + f.share, 0),
      0,
    )} together. Sort by a heading; click a ${node} to see it in the graph.`,
  );
  table(place, {
    ...{ columns, list: features, first: FIRST, sorted: 1 },
    ...{ file: "features.csv", label: "Table of the features", many: `${node}s` },
  });
}
