// The feature graph: its view, with search, threshold, drag, zoom and focus.
import { drag as dragging } from "d3-drag";
import { pointer, select } from "d3-selection";
import { zoom as zooming } from "d3-zoom";
import { count, cut, h, hideTip, line, name, number, percent, showTip, title, whole } from "./dom.js";
import { figure, section } from "./figure.js";
import { calm, GraphView } from "./graph_view.js";
import { byWeight, colorName, edges, features, leftOut, model, ranked } from "./model.js";

const MOST_HITS = 8; // of a search

let focusFeature = () => {};
export const showInGraph = (i) => focusFeature(i);

function sentence() {
  if (model.edges === 0)
    return ["No features are joined in this model: each counts on its own, as much as its node is large."];
  const hub = [...features].sort((a, b) => b.degree - a.degree || b.weight - a.weight)[0];
  const joined = features.filter((f) => f.degree > 0).length;
  return [
    "A node is a feature, as large as its weight M",
    h("sub", {}, "ii"),
    "; an edge joins two that act together, as thick as |M",
    h("sub", {}, "ij"),
    "|. ",
    model.balanced
      ? "Positive edges join features of one colour, negative ones a blue and a red: the graph is balanced. "
      : "The graph is not balanced, so that there are no two colours. ",
    `Here ${count(model.edges, "edge")} (${whole(model.negative_edges)} negative) join ${whole(joined)} of `,
    `${count(model.features, "feature")}; `,
    h("b", {}, name(hub.name)),
    ` has the most, ${whole(hub.degree)}.`,
  ];
}

function tipOf(f) {
  return [
    title(f.name),
    ranked.kind !== "weight" && line(`importance ${percent(f.importance, 2)}`),
    line(`weight ${number(f.weight)}, ${percent(f.share, 2)} of the trace`),
    line(`${f.color ? colorName(f.color) : "no colour"}, ${count(f.degree, "edge")}`),
    f.partner !== null &&
      line(
        "strongest: ",
        h("bdi", { dir: "auto" }, cut(features[f.partner].name, 60)),
        ` (${number(f.partnerWeight)})`,
      ),
  ];
}

function tipOfEdge(e) {
  const kept = e.sign_agreement !== null && `, the sign kept in ${percent(e.sign_agreement ?? 0, 0)} of these`;
  return [
    title(features[e.first].name),
    title(features[e.second].name),
    line(`${e.weight < 0 ? "negative" : "positive"} edge of weight ${number(e.weight)}`),
    line(`M_ij/√(M_ii M_jj) ${number(e.normalized)}`),
    e.correlation !== null && line(`correlation of the data ${number(+e.correlation.toPrecision(4))}`),
    e.frequency !== undefined &&
      line(`in ${percent(e.frequency, 0)} of ${whole(model.bootstrap.done)} resamples`, kept),
  ];
}

// What is shown and what is not.
function stateOf(view) {
  const nodes = `${whole(view.nodes.length)} of ${count(features.length, "feature")}`;
  if (model.edges === 0) return [`Shown: ${nodes}; there are no edges.`];
  const hidden = model.edges - view.shown,
    least = view.shown > 0 && view.shown < edges.length ? edges[view.shown - 1].size : null;
  return [
    `Shown: ${nodes}, `,
    `the ${whole(view.shown)} strongest of ${count(model.edges, "edge")}`,
    least === null ? "" : ` (|weight| of at least ${number(least)})`,
    `. Hidden: ${count(features.length - view.nodes.length, "feature")}, ${count(hidden, "edge")}`,
    leftOut > 0 ? `, of which ${whole(leftOut)} weaker ones are not in this file.` : ".",
  ];
}

// Dragging a feature, moving and zooming the picture; a wheel scrolls the page unless Ctrl is held.
function moves(view) {
  const zoom = zooming()
    .scaleExtent([0.02, 12])
    .filter((event) => {
      if (event.type === "wheel") return event.ctrlKey || event.metaKey;
      return event.touches ? event.touches.length > 1 : !event.button;
    })
    .on("zoom", (event) => {
      view.setTransform(event.transform, view.fitted && !event.sourceEvent);
      view.repaint(true);
    });
  const drag = dragging()
    .container(view.canvas)
    .subject((event) => {
      const n = view.find(event.x, event.y);
      return n && { node: n, x: view.at(n)[0], y: view.at(n)[1] };
    })
    .on("start", hideTip)
    .on("drag", (event) => view.move(event.subject.node, event.x, event.y));
  select(view.canvas).call(drag).call(zoom).on("dblclick.zoom", null);
  return (factor) => {
    view.fitted = false;
    zoom.scaleBy(select(view.canvas), factor);
  };
}

// Pointing at a feature or an edge, and clicking on a feature.
function points(view) {
  select(view.canvas)
    .on("click", (event) => {
      const n = view.find(...pointer(event, view.canvas));
      view.setFocus(n === view.focus ? null : n);
    })
    .on("pointermove", (event) => {
      if (event.buttons) return;
      const [x, y] = pointer(event, view.canvas),
        n = view.find(x, y),
        e = n ? null : view.findEdge(x, y);
      view.canvas.style.cursor = n ? "pointer" : "grab";
      if (n !== view.hovered) {
        view.hovered = n;
        view.repaint(false);
      }
      if (n) showTip(event, tipOf(n.f));
      else if (e) showTip(event, tipOfEdge(e));
      else hideTip();
    })
    .on("pointerleave", () => {
      view.hovered = null;
      hideTip();
      view.repaint(false);
    });
}

// The field to search in; what it finds is listed in `hits`.
function searchField(view, hits) {
  const search = (text, take) => {
    const key = text.trim().toLocaleLowerCase();
    const found = key ? byWeight.filter((f) => f.name.toLocaleLowerCase().includes(key)) : [];
    if (take && found.length > 0) view.show(found[0].i);
    if (!key) view.setFocus(null);
    const buttons = found
      .slice(0, MOST_HITS)
      .map((f) => h("li", {}, h("button", { type: "button", onclick: () => view.show(f.i) }, name(cut(f.name, 60)))));
    if (found.length > MOST_HITS)
      buttons.push(h("li", { class: "note" }, `and ${whole(found.length - MOST_HITS)} more`));
    if (key && found.length === 0) buttons.push(h("li", { class: "note" }, "no feature has that in its name"));
    hits.replaceChildren(...buttons);
  };
  return h("input", {
    type: "search",
    id: "graph-search",
    placeholder: "a feature's name",
    autocomplete: "off",
    oninput: (event) => search(event.target.value, false),
    onkeydown: (event) => event.key === "Enter" && search(event.target.value, true),
  });
}

// How many edges are shown, by a slider that is logarithmic in their number.
function slider(view) {
  const steps = 200,
    rate = Math.log(edges.length || 1) / steps;
  return h("input", {
    type: "range",
    id: "edges-shown",
    min: 0,
    max: steps,
    value: edges.length > 1 ? Math.round(Math.log(view.shown) / rate) : steps,
    disabled: edges.length < 2,
    oninput: ({ target }) => {
      view.shown = +target.value === steps ? edges.length : Math.round(Math.exp(rate * target.value));
      view.select();
    },
  });
}

function legend() {
  const entry = (look, text) => h("li", {}, h("span", { class: look }), text);
  const nodes = model.balanced
    ? [entry("mark blue", "blue feature (round)"), entry("mark red", "red feature (square)")]
    : [entry("mark", "feature")];
  return h(
    "ul",
    { class: "legend", "aria-label": "Legend" },
    nodes,
    entry("dash", "positive edge (solid)"),
    entry("dash neg", "negative edge (dashed)"),
  );
}

export function graph() {
  const place = section("graph", "The feature graph", sentence());
  const state = h("p", { class: "note", id: "graph-state", role: "status" });
  const hits = h("ul", { class: "hits", "aria-label": "Features found" });
  const view = new GraphView(() => state.replaceChildren(...stateOf(view)));
  const scaleBy = moves(view);
  points(view);
  focusFeature = (i) => {
    place.scrollIntoView({ behavior: calm ? "auto" : "smooth" });
    view.show(i);
  };
  const all = (event) => {
    view.all = event.target.checked;
    view.fitted = true;
    view.select();
  };
  const everything = () => {
    view.setFocus(null);
    view.fit();
    view.repaint(true);
  };
  const button = (label, text, act) =>
    h("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
  const stage = h(
    "div",
    { class: "stage" },
    view.canvas,
    h(
      "div",
      { class: "zoom" },
      button("Zoom in", "+", () => scaleBy(1.4)),
      button("Zoom out", "−", () => scaleBy(1 / 1.4)),
      button("Show everything", "⤢", everything),
    ),
  );
  place.append(legend());
  figure(place, {
    file: "feature-graph.svg",
    tools: [
      h("label", {}, "Search ", searchField(view, hits)),
      h("label", {}, "Fewer edges ", slider(view), " all"),
      h("label", {}, h("input", { type: "checkbox", id: "lonely", onchange: all }), "all features"),
    ],
    draw(width, colors, plot) {
      if (!stage.isConnected) plot.replaceChildren(hits, stage);
      view.resize(width - 2, Math.round(Math.min(Math.max(340, width * 0.58), 620)));
      return null;
    },
    toSvg: (colors) => view.toSvg(colors),
  });
  place.append(
    state,
    h(
      "p",
      { class: "note screen" },
      "Click a feature to see its neighbours alone; drag it to move it, and it stays there; zoom with the buttons, ",
      "with Ctrl and the wheel, or with two fingers.",
    ),
  );
  view.select();
}
