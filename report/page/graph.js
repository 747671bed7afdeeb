// The feature graph: a force layout on a canvas, with search, threshold, drag, zoom and focus.
import { drag as dragging } from "d3-drag";
import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } from "d3-force";
import { pointer, select } from "d3-selection";
import { zoom as zooming, zoomIdentity } from "d3-zoom";
import { count, cut, h, hideTip, line, name, number, palette, percent, showTip, title, whole } from "./dom.js";
import { drawing, figure, section } from "./figure.js";
import { drawGraph, radius } from "./graph_draw.js";
import { placeNodes } from "./graph_place.js";
import { byWeight, colorName, edges, features, leftOut, model } from "./model.js";
import { canvasPen, svgPen } from "./pen.js";

const FIRST_EDGES = 300; // shown at the start
const FIRST_SHARE = 0.002; // features without an edge are shown from this share of the trace on
const SETTLE = 120; // milliseconds of layout before the first picture

let focusFeature = () => {};
export const showInGraph = (i) => focusFeature(i);

function sentence() {
  if (model.edges === 0) return ["No features are joined in this model: each counts on its own, as much as its node is large."];
  const hub = [...features].sort((a, b) => b.degree - a.degree || b.weight - a.weight)[0];
  return [
    "A node is a feature, as large as its weight M", h("sub", {}, "ii"), "; an edge joins two that act together, as thick as |M", h("sub", {}, "ij"), "|. ",
    model.balanced ? "Positive edges join features of one colour, negative ones a blue and a red: the graph is balanced. " : "The graph is not balanced, so that there are no two colours. ",
    `Here ${count(model.edges, "edge")} (${whole(model.negative_edges)} negative) join ${whole(features.filter((f) => f.degree > 0).length)} of ${count(model.features, "feature")}; `,
    h("b", {}, name(hub.name)), ` has the most, ${whole(hub.degree)}.`,
  ];
}

function tipOf(f) {
  return [
    title(f.name),
    line(`weight ${number(f.weight)}, ${percent(f.share, 2)} of the trace`),
    line(`${f.color ? colorName(f.color) : "no colour"}, ${count(f.degree, "edge")}`),
    f.partner !== null && line("strongest: ", h("bdi", { dir: "auto" }, cut(features[f.partner].name, 60)), ` (${number(f.partnerWeight)})`),
  ];
}

function tipOfEdge(e) {
  return [
    title(features[e.first].name), title(features[e.second].name),
    line(`${e.weight < 0 ? "negative" : "positive"} edge of weight ${number(e.weight)}`),
    line(`in correlation form ${number(e.correlation)}`),
    e.frequency !== undefined && line(`in ${percent(e.frequency, 0)} of ${whole(model.bootstrap.done)} resamples${e.sign_agreement !== null ? `, the sign kept in ${percent(e.sign_agreement, 0)} of these` : ""}`),
  ];
}

const distanceTo = (x, y, [ax, ay], [bx, by]) => {
  const length = (bx - ax) ** 2 + (by - ay) ** 2;
  const t = length > 0 ? Math.max(0, Math.min(1, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length)) : 0;
  return Math.hypot(x - ax - t * (bx - ax), y - ay - t * (by - ay));
};

export function graph() {
  const place = section("graph", "The feature graph", sentence());
  const most = byWeight[0].weight, nodeOf = new Map();
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const view = { nodes: [], edges: [], width: 600, height: 480, largest: edges[0]?.size ?? 1, focus: null, near: null, hovered: null, moving: false, mostLabels: 160 };
  let transform = zoomIdentity, shown = Math.min(edges.length, FIRST_EDGES), all = false, wanted = new Set(), pending = 0, settled = 0, resting = 0, fitted = true;
  view.at = (n) => [transform.applyX(n.x), transform.applyY(n.y)];
  view.size = (n) => n.r * Math.min(1, Math.max(0.4, transform.k)); // nodes shrink with the picture, but stay to be seen

  const canvas = h("canvas", { role: "img", "aria-label": `The signed graph of the features; the table of features below holds the same numbers.` });
  const context = canvas.getContext("2d");
  const state = h("p", { class: "note", id: "graph-state", role: "status" });
  const hits = h("ul", { class: "hits", "aria-label": "Features found" });

  function paint() {
    pending = 0;
    canvas.dataset.zoom = transform.k.toFixed(3);
    const colors = palette(), ratio = devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, view.width, view.height);
    context.font = '12px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
    drawGraph(canvasPen(context), view, colors, (text) => context.measureText(text).width);
  }
  // While things move, and there are many lines, fewer are drawn, and without dashes.
  function repaint(moves) {
    if (moves) {
      view.moving = view.edges.length > 1000;
      clearTimeout(settled);
      settled = setTimeout(() => { view.moving = false; repaint(false); }, 180);
    }
    if (!pending) pending = requestAnimationFrame(paint);
  }

  const links = forceLink().distance((e) => 46 + e.source.r + e.target.r).id((n) => n.f.i);
  const simulation = forceSimulation().force("link", links).force("charge", forceManyBody().strength(-260).distanceMax(420)).force("collide", forceCollide((n) => n.r + 7)).force("x", forceX().strength(0.05)).force("y", forceY().strength(0.075)).stop();
  simulation.on("tick", () => { if (fitted) fit(false); repaint(true); }).on("end", () => (canvas.dataset.layout = "rest"));

  function select_() {
    const ids = new Set(wanted);
    const chosen = edges.slice(0, shown);
    for (const e of chosen) ids.add(e.first).add(e.second);
    for (const f of byWeight) if (all ? ids.size < 3000 : f.share >= FIRST_SHARE) ids.add(f.i);
    view.nodes = [...ids].map((i) => {
      if (!nodeOf.has(i)) nodeOf.set(i, { f: features[i], r: radius(features[i], most) });
      return nodeOf.get(i);
    });
    view.edges = chosen.map((e) => ({ ...e, source: nodeOf.get(e.first), target: nodeOf.get(e.second) }));
    if (view.focus && !ids.has(view.focus.f.i)) setFocus(null);
    else if (view.focus) setFocus(view.focus);
    placeNodes(view.nodes, view.edges);
    simulation.nodes(view.nodes);
    links.links(view.edges);
    simulation.alpha(0.9);
    settle();
    say();
    repaint(true);
  }
  // A while of layout at once, and the rest moving before the reader's eyes, or out of their sight if they want calm.
  function settle() {
    const begin = performance.now();
    while (performance.now() - begin < SETTLE && simulation.alpha() > 0.01) simulation.tick();
    if (fitted) fit(false);
    canvas.dataset.layout = simulation.alpha() <= 0.01 ? "rest" : "moves";
    if (simulation.alpha() <= 0.01) return repaint(true);
    if (!calm) return simulation.restart();
    clearTimeout(resting);
    resting = setTimeout(settle, 20);
  }

  function say() {
    const hiddenNodes = features.length - view.nodes.length, hidden = model.edges - shown;
    const threshold = shown > 0 && shown < edges.length ? ` (|weight| of at least ${number(edges[shown - 1].size)})` : "";
    state.replaceChildren(
      `Shown: ${whole(view.nodes.length)} of ${count(features.length, "feature")}, the ${whole(shown)} strongest of ${count(model.edges, "edge")}${threshold}. Hidden: ${count(hiddenNodes, "feature")}, ${count(hidden, "edge")}`,
      leftOut > 0 ? `, of which ${whole(leftOut)} weaker ones are not in this file.` : ".");
    Object.assign(canvas.dataset, { nodes: view.nodes.length, edges: view.edges.length });
  }

  function fit(paints = true) {
    if (view.nodes.length === 0) return;
    const xs = view.nodes.map((n) => n.x), ys = view.nodes.map((n) => n.y), pad = 46;
    const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const k = Math.min(1.6, (view.width - 2 * pad) / (x1 - x0 || 1), (view.height - 2 * pad) / (y1 - y0 || 1));
    transform = zoomIdentity.translate(view.width / 2 - (k * (x0 + x1)) / 2, view.height / 2 - (k * (y0 + y1)) / 2).scale(k);
    canvas.__zoom = transform;
    fitted = true;
    if (paints) repaint(true);
  }

  function setFocus(node) {
    view.focus = node;
    view.near = node && new Set([node]);
    for (const e of view.edges) if (node && (e.source === node || e.target === node)) view.near.add(e.source).add(e.target);
    canvas.dataset.focus = node ? node.f.i : "";
    canvas.dataset.near = node ? view.near.size - 1 : "";
    repaint(false);
  }

  function find(x, y, reach = 6) {
    let best = null, least = Infinity;
    for (const n of view.nodes) {
      const [nx, ny] = view.at(n), d = Math.hypot(nx - x, ny - y) - view.size(n);
      if (d < Math.min(reach, least)) [best, least] = [n, d];
    }
    return best;
  }
  function findEdge(x, y) {
    let best = null, least = 5;
    for (const e of view.edges) {
      const d = distanceTo(x, y, view.at(e.source), view.at(e.target));
      if (d < least) [best, least] = [e, d];
    }
    return best;
  }

  const zoom = zooming().scaleExtent([0.02, 12])
    .filter((event) => (event.type === "wheel" ? event.ctrlKey || event.metaKey : event.touches ? event.touches.length > 1 : !event.button))
    .on("zoom", (event) => { transform = event.transform; if (event.sourceEvent) fitted = false; repaint(true); });
  const drag = dragging().container(canvas)
    .subject((event) => { const n = find(event.x, event.y); return n && { node: n, x: transform.applyX(n.x), y: transform.applyY(n.y) }; })
    .on("start", (event) => { event.subject.moved = 0; hideTip(); })
    .on("drag", (event) => {
      const n = event.subject.node;
      fitted = false;
      event.subject.moved += Math.abs(event.dx) + Math.abs(event.dy);
      [n.fx, n.fy] = transform.invert([event.x, event.y]);
      [n.x, n.y] = [n.fx, n.fy];
      if (!calm && simulation.alpha() < 0.2) simulation.alpha(0.25).restart();
      repaint(true);
    });
  select(canvas).call(drag).call(zoom).on("dblclick.zoom", null)
    .on("click", (event) => { const n = find(...pointer(event, canvas)); setFocus(n === view.focus ? null : n); })
    .on("pointermove", (event) => {
      if (event.buttons) return;
      const [x, y] = pointer(event, canvas), n = find(x, y), e = n ? null : findEdge(x, y);
      canvas.style.cursor = n ? "pointer" : "grab";
      if (n !== view.hovered) { view.hovered = n; repaint(false); }
      if (n) showTip(event, tipOf(n.f));
      else if (e) showTip(event, tipOfEdge(e));
      else hideTip();
    })
    .on("pointerleave", () => { view.hovered = null; hideTip(); repaint(false); });

  function show(i) {
    if (!nodeOf.has(i) || !view.nodes.includes(nodeOf.get(i))) {
      wanted.add(i);
      select_();
    }
    const n = nodeOf.get(i);
    setFocus(n);
    const k = Math.max(transform.k, 0.8);
    transform = zoomIdentity.translate(view.width / 2 - k * n.x, view.height / 2 - k * n.y).scale(k);
    canvas.__zoom = transform;
    fitted = false;
    repaint(true);
  }
  focusFeature = (i) => { place.scrollIntoView({ behavior: calm ? "auto" : "smooth" }); show(i); };

  function search(text, take) {
    const key = text.trim().toLocaleLowerCase();
    const found = key ? byWeight.filter((f) => f.name.toLocaleLowerCase().includes(key)) : [];
    if (take && found.length > 0) show(found[0].i);
    if (!key) setFocus(null);
    hits.replaceChildren(...found.slice(0, 8).map((f) => h("li", {}, h("button", { type: "button", onclick: () => show(f.i) }, name(cut(f.name, 60))))),
      ...(key ? [h("li", { class: "note" }, found.length > 8 ? `and ${whole(found.length - 8)} more` : found.length === 0 ? "no feature has that in its name" : "")] : []));
  }

  // The slider is logarithmic in the number of edges.
  const steps = 200, toCount = (v) => (edges.length === 0 ? 0 : Math.round(Math.exp((Math.log(edges.length) * v) / steps)));
  const slider = h("input", { type: "range", id: "edges-shown", min: 0, max: steps, value: edges.length > 1 ? Math.round((steps * Math.log(Math.max(shown, 1))) / Math.log(edges.length)) : steps, disabled: edges.length < 2,
    oninput: () => { shown = +slider.value === steps ? edges.length : Math.min(toCount(+slider.value), edges.length); select_(); } });
  const tools = [
    h("label", {}, "Search ", h("input", { type: "search", id: "graph-search", placeholder: "a feature's name", autocomplete: "off", oninput: (event) => search(event.target.value, false), onkeydown: (event) => event.key === "Enter" && search(event.target.value, true) })),
    h("label", {}, "Fewer edges ", slider, " all"),
    h("label", {}, h("input", { type: "checkbox", id: "lonely", onchange: (event) => { all = event.target.checked; fitted = true; select_(); } }), "all features"),
  ];
  const sample = (attributes) => { const box = h("span", attributes); return box; };
  place.append(h("ul", { class: "legend", "aria-label": "Legend" },
    ...(model.balanced ? [h("li", {}, sample({ class: "mark blue" }), "blue feature (round)"), h("li", {}, sample({ class: "mark red" }), "red feature (square)")] : [h("li", {}, sample({ class: "mark" }), "feature")]),
    h("li", {}, sample({ class: "dash" }), "positive edge (solid)"), h("li", {}, sample({ class: "dash neg" }), "negative edge (dashed)")));
  const button = (label, text, act) => h("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
  const scaleBy = (factor) => { fitted = false; zoom.scaleBy(select(canvas), factor); };
  const stage = h("div", { class: "stage" }, canvas, h("div", { class: "zoom" }, button("Zoom in", "+", () => scaleBy(1.4)), button("Zoom out", "−", () => scaleBy(1 / 1.4)), button("Show everything", "⤢", () => { setFocus(null); fit(); })));
  figure(place, {
    file: "feature-graph.svg", tools,
    draw(width, colors, plot) {
      if (!stage.isConnected) plot.replaceChildren(hits, stage);
      const ratio = devicePixelRatio || 1;
      view.width = width - 2;
      view.height = Math.round(Math.min(Math.max(340, width * 0.58), 620));
      canvas.width = view.width * ratio;
      canvas.height = view.height * ratio;
      canvas.style.height = `${view.height}px`;
      if (fitted) fit(false);
      paint();
      return null;
    },
    toSvg(colors) {
      const svg = drawing(view.width, view.height, "The signed graph of the features", colors);
      drawGraph(svgPen(svg), { ...view, moving: false, hovered: null }, colors, (text) => context.measureText(text).width);
      return svg;
    },
  });
  place.append(state, h("p", { class: "note screen" }, "Click a feature to see its neighbours alone; drag it to move it, and it stays there; zoom with the buttons, with Ctrl and the wheel, or with two fingers."));
  select_();
}
