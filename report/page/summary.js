// The first screen: what was learned, how sure it is, and what counts most.
import { count, datum, h, name, number, percent, seconds, whole } from "./dom.js";
import { blindNote, byImportance, colorName, edges, features, model, ranked, rankNote, rows } from "./model.js";

const solvers = {
  balanced: "A balanced signed graph",
  hull: "A signed graph of the convex hull of balanced ones",
  psd: "A positive definite matrix",
  diagonal: "A weight for each feature",
  sgml: "A balanced signed graph, by the paper's algorithm sgml",
  pgml: "A graph with positive edges only, by the paper's algorithm pgml",
  hbnb: "A balanced signed graph, by the algorithm hbnb",
  pdcone: "A positive definite matrix, by the algorithm pdcone",
  identity: "The Euclidean metric",
};

export const gapShare = () =>
  model.gap === null || Math.abs(model.gap) > 0.5 * Math.abs(model.objective_value)
    ? null
    : model.objective_value === 0
      ? 0
      : Math.abs(model.gap / model.objective_value);
const shareText = (share) => `${+(100 * share).toPrecision(2)}\u00a0%`;

function learnedFrom() {
  const what = model.tuples
    ? `${whole(model.tuples.count)} ${model.tuples.kind}`
    : model.classes > 0
      ? count(model.classes, "class", "classes")
      : "real-valued targets";
  return `${count(model.n, "row")}, ${count(model.features, "feature")}, ${what}`;
}

function card(heading, big, ...more) {
  return h(
    "dl",
    { class: "card" },
    h("dt", {}, heading),
    h("dd", { class: "big" }, big),
    ...more.filter(Boolean).map((text) => h("dd", { class: "more" }, text)),
  );
}

// How the certificate is known: by the fit itself, by a file that nobody checked, or by a verification.
const standing =
  { certified: "Certified", stated: "Stated, not verified", verified: "Verified" }[model.standing] ?? "Not fully checked";
const claim = model.standing === "stated" ? ": by what the model states, no metric" : ": no metric";

function certificate() {
  const share = gapShare();
  if (model.bound === null) return card("Bound", "none", "the solver gives none");
  const bound = ["bound ", datum(model.bound), ", gap ", datum(model.gap)];
  // The library's minimised objectives have no value below 0.
  if (share === null && !model.maximized && model.objective !== "custom" && model.bound <= 0)
    return card("Bound", datum(model.bound), "says nothing: no value can be below 0");
  if (share === null)
    return card(`${standing}: bound`, datum(model.bound), `no value is ${model.maximized ? "larger" : "smaller"}`, [
      "gap ",
      datum(model.gap),
    ]);
  return card(
    standing,
    h("span", { id: "certified" }, `within ${shareText(share)}`, h("small", {}, " of the best")),
    bound,
  );
}

function accuracyCard() {
  const a = rows?.accuracy;
  if (!a) return card("Accuracy", "not measured", "the report was made without rows");
  if (a.reason) return card("Accuracy", "not measured", a.reason);
  const show = (value) => datum(value, a.measure === "rmse" ? number(value) : percent(value));
  const spread = (std) =>
    std === null || std === undefined
      ? ""
      : ` ±\u00a0${a.measure === "rmse" ? number(+std.toPrecision(2)) : (100 * std).toFixed(1)}`;
  const how =
    a.how === "splits"
      ? `held out: mean of ${count(a.splits, "split")}, each learned anew from ${whole(a.train)} rows and tested on ${whole(a.test)}${a.interrupted ? "; interrupted" : ""}`
      : `held out: ${count(a.rows, "row")} that the model did not learn from${a.known ? `; ${whole(a.known)} that it did are not counted` : ""}`;
  return card(
    a.measure === "rmse" ? "Error (RMSE), held out" : "Accuracy, held out",
    h("span", { id: "accuracy" }, show(a.learned), h("small", {}, spread(a.learned_std))),
    [
      "Euclidean ",
      show(a.euclidean),
      spread(a.euclidean_std),
      a.p !== null && a.p !== undefined && ` (p = ${+a.p.toPrecision(2)})`,
    ],
    how,
  );
}

function ranking() {
  const most = byImportance[0].importance || 1;
  const shown = byImportance.filter((f) => f.importance > 1e-4).slice(0, 8);
  return h(
    "div",
    { class: "card" },
    h("h3", {}, "What counts most"),
    h(
      "ol",
      { class: "rank" },
      shown.map((f) =>
        h(
          "li",
          {},
          name(f.name),
          h("span", { class: "track" }, barOf(f, most)),
          h("span", { class: "number" }, percent(f.importance)),
        ),
      ),
    ),
    h(
      "p",
      { class: "note" },
      blindNote(),
      rankNote(),
      model.balanced && " Bars are blue or red as in the graph.",
    ),
  );
}

function barOf(f, most) {
  const bar = h("span", { class: "bar" });
  bar.style.width = `${(100 * f.importance) / most}%`;
  bar.style.background = `var(--${colorName(f.color)})`;
  return bar;
}

function strongest() {
  const box = h("div", { class: "card" }, h("h3", {}, "What acts together"));
  if (edges.length === 0) box.append(h("p", { class: "note" }, "No features are joined: each counts on its own."));
  else
    box.append(
      h(
        "ol",
        { class: "rank pairs" },
        edges.slice(0, 8).map((e) =>
          h(
            "li",
            {},
            name(features[e.first].name),
            h("span", {
              class: e.weight < 0 ? "dash neg" : "dash",
              role: "img",
              "aria-label": e.weight < 0 ? "negative edge" : "positive edge",
            }),
            name(features[e.second].name),
            h("span", { class: "number" }, datum(e.weight, number(+e.weight.toPrecision(3)))),
          ),
        ),
      ),
      h(
        "p",
        { class: "note" },
        "Solid (positive): rows in which both rise together stay near. Dashed (negative): rows in which both rise move apart, one rising while the other falls is forgiven.",
      ),
    );
  return box;
}

export function summary() {
  const share = gapShare(),
    heavy = byImportance.filter((f) => f.importance > 0.01).length;
  const graph = model.balanced
    ? `${count(features.filter((f) => f.color > 0).length, "blue feature")} and ${whole(features.filter((f) => f.color < 0).length)} red`
    : "not balanced";
  const body = h(
    "section",
    { id: "summary", "aria-label": "Summary" },
    h(
      "h1",
      {},
      rows?.own && rows.name
        ? ["What was learned from ", h("bdi", { dir: "auto" }, rows.name)]
        : model.name
          ? ["What ", h("bdi", { dir: "auto" }, model.name), " learned"]
          : "What was learned",
    ),
    h(
      "p",
      { class: "lead" },
      `${solvers[model.solver] ?? "A metric"} of ${count(model.features, "feature")}, learned from ${count(model.n, "row")}`,
      share !== null ? [`${claim} of its kind can be better by more than `, h("b", {}, shareText(share)), "."] : ".",
      heavy === 0 ? " No feature has" : heavy === 1 ? " One feature has" : ` ${whole(heavy)} features have`,
      ranked.kind === "weight"
        ? ` more than 1\u00a0% of the weight${heavy > 1 ? " each" : ""}`
        : ` an importance of more than 1\u00a0%`,
      heavy > 0 ? [", most of all ", h("b", {}, name(byImportance[0].name)), "."] : ".",
    ),
    model.accuracy_sentences.length > 0 &&
      h("p", { id: "checked", class: "what" }, `${model.accuracy_sentences.join("; ")}.`),
    h(
      "div",
      { class: "cards" },
      certificate(),
      accuracyCard(),
      card(
        "Objective",
        [datum(model.objective_value), h("small", {}, ` ${model.objective}`)],
        `${model.maximized ? "larger" : "smaller"} is better; ${model.stop_sentence}`,
      ),
      card(
        "Graph",
        [datum(model.edges, whole(model.edges)), h("small", {}, model.edges === 1 ? " edge" : " edges")],
        `${whole(model.negative_edges)} negative; ${graph}`,
      ),
      card("Data", [whole(model.n), h("small", {}, " rows")], learnedFrom()),
      card("Time", seconds(model.seconds), `${count(model.iterations, "iteration")}, ${count(model.atoms, "atom")}`),
    ),
    h("div", { class: "two" }, ranking(), strongest()),
  );
  document.getElementById("main").append(body);
}
