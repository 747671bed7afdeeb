// What the discriminants are made of: the weight of every feature in each of them.
import { datum, h, name, whole } from "./dom.js";
import { section } from "./figure.js";
import { discriminants, features, model } from "./model.js";
import { table } from "./table.js";

const FIRST = 10;

function sentence() {
  const [{ sum }] = discriminants,
    several = discriminants.length > 1;
  const largest = sum.reduce((best, weight, i) => (Math.abs(weight) > Math.abs(sum[best]) ? i : best), 0);
  return [
    "A discriminant is a sum of all scaled features that ",
    model.classes > 0 ? "tells the classes apart best" : "follows the targets best",
    "; it joins the graph as one more node. ",
    "The larger the weight of a feature, whatever its sign, the more it counts in the sum; the squares of all weights ",
    "of a sum add up to 1. ",
    several ? `Here there are ${whole(discriminants.length)}, of which the first tells most; ` : "Here ",
    h("b", {}, name(features[largest].name)),
    several ? " has the largest weight in it, " : " has the largest weight, ",
    ...[datum(sum[largest]), "."],
  ];
}

const weightIn = (discriminant) => ({
  key: discriminant.name,
  of: (f) => discriminant.sum[f.i],
  by: (f) => Math.abs(discriminant.sum[f.i]),
  show: (f) => datum(discriminant.sum[f.i]),
});

export function discriminantTable() {
  if (discriminants.length === 0) return;
  const feature = { key: "feature", text: true, of: (f) => f.name, show: (f) => name(f.name) };
  table(section("discriminants", "Discriminants", sentence()), {
    ...{ columns: [feature, ...discriminants.map(weightIn)], list: features.filter((f) => !f.sum) },
    ...{ first: FIRST, sorted: 1, file: "discriminants.csv", label: "Weights of the features", many: "features" },
  });
}
