// What is shown of the feature graph, and where: which features and edges, the layout, the part that is in view, the
// feature in focus. It draws itself on its canvas, or into an SVG.
import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } from "d3-force";
import { zoomIdentity } from "d3-zoom";
import { h, palette } from "./dom.js";
import { drawing } from "./figure.js";
import { drawGraph, radius } from "./graph_draw.js";
import { placeNodes } from "./graph_place.js";
import { byWeight, edges, features } from "./model.js";
import { canvasPen, svgPen } from "./pen.js";

const FIRST_EDGES = 300; // shown at the start
const FIRST_SHARE = 0.002; // features without an edge are shown from this share of the trace on
const MOST_NODES = 3000;
const MOST_STILL = 1000; // with more edges, fewer are drawn while they move, and without dashes
const SETTLE = 120; // milliseconds of layout before a picture
const AT_REST = 0.01; // the simulation's alpha at which nothing moves that can be seen

export const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;

// How far (x, y) is from the line between two points.
function distanceTo(x, y, [ax, ay], [bx, by]) {
  const length = (bx - ax) ** 2 + (by - ay) ** 2;
  const t = length > 0 ? Math.max(0, Math.min(1, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length)) : 0;
  return Math.hypot(x - ax - t * (bx - ax), y - ay - t * (by - ay));
}

export class GraphView {
  nodes = [];
  edges = [];
  width = 600;
  height = 480;
  largest = edges[0]?.size ?? 1;
  focus = null; // a node
  near = null; // it and its neighbours
  hovered = null;
  moving = false;
  mostLabels = 160;
  transform = zoomIdentity;
  fitted = true; // the picture follows the layout until the reader moves it
  shown = Math.min(edges.length, FIRST_EDGES);
  all = false; // features without weight too
  wanted = new Set(); // features that were asked for by name
  nodeOf = new Map();

  constructor(onchange) {
    this.onchange = onchange;
    this.canvas = h("canvas", {
      role: "img",
      "aria-label": "The signed graph of the features; the table of features below holds the same numbers.",
    });
    this.context = this.canvas.getContext("2d");
    this.links = forceLink()
      .distance((e) => 46 + e.source.r + e.target.r)
      .id((n) => n.f.i);
    this.simulation = forceSimulation()
      .force("link", this.links)
      .force("charge", forceManyBody().strength(-260).distanceMax(420))
      .force(
        "collide",
        forceCollide((n) => n.r + 7),
      )
      .force("x", forceX().strength(0.05))
      .force("y", forceY().strength(0.075))
      .stop()
      .on("tick", () => {
        if (this.fitted) this.fit();
        this.repaint(true);
      })
      .on("end", () => (this.canvas.dataset.layout = "rest"));
  }

  // Where a node is on the screen, and how large: it shrinks with the picture, but stays to be seen.
  at(n) {
    return [this.transform.applyX(n.x), this.transform.applyY(n.y)];
  }
  size(n) {
    return n.r * Math.min(1, Math.max(0.4, this.transform.k));
  }

  resize(width, height) {
    const ratio = devicePixelRatio || 1;
    [this.width, this.height] = [width, height];
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    this.canvas.style.height = `${height}px`;
    if (this.fitted) this.fit();
    this.paint();
  }

  measure(text) {
    this.context.font = '12px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
    return this.context.measureText(text).width;
  }

  paint() {
    const ratio = devicePixelRatio || 1;
    this.pending = 0;
    this.canvas.dataset.zoom = this.transform.k.toFixed(3);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.clearRect(0, 0, this.width, this.height);
    drawGraph(canvasPen(this.context), this, palette());
  }

  toSvg(colors) {
    const svg = drawing(this.width, this.height, "The signed graph of the features", colors);
    const moving = this.moving;
    this.moving = false;
    drawGraph(svgPen(svg), this, colors);
    this.moving = moving;
    return svg;
  }

  // With the next frame; `moves` while there will be more of them.
  repaint(moves) {
    if (moves) {
      this.moving = this.edges.length > MOST_STILL;
      clearTimeout(this.stilling);
      this.stilling = setTimeout(() => {
        this.moving = false;
        this.repaint(false);
      }, 180);
    }
    if (!this.pending) this.pending = requestAnimationFrame(() => this.paint());
  }

  // Takes up the strongest edges and what belongs to them, and lays them out.
  select() {
    const chosen = edges.slice(0, this.shown),
      ids = new Set(this.wanted);
    for (const e of chosen) ids.add(e.first).add(e.second);
    for (const f of byWeight) if (this.all ? ids.size < MOST_NODES : f.share >= FIRST_SHARE) ids.add(f.i);
    this.nodes = [...ids].map((i) => {
      if (!this.nodeOf.has(i)) this.nodeOf.set(i, { f: features[i], r: radius(features[i], byWeight[0].weight) });
      return this.nodeOf.get(i);
    });
    this.edges = chosen.map((e) => ({ ...e, source: this.nodeOf.get(e.first), target: this.nodeOf.get(e.second) }));
    this.setFocus(this.focus && ids.has(this.focus.f.i) ? this.focus : null);
    placeNodes(this.nodes, this.edges);
    this.simulation.nodes(this.nodes);
    this.links.links(this.edges);
    this.simulation.alpha(0.9);
    Object.assign(this.canvas.dataset, { nodes: this.nodes.length, edges: this.edges.length });
    this.settle();
    this.onchange();
    this.repaint(true);
  }

  // A while of layout at once, and the rest moving before the reader's eyes, or out of sight if they want calm.
  settle() {
    const begin = performance.now();
    while (performance.now() - begin < SETTLE && this.simulation.alpha() > AT_REST) this.simulation.tick();
    if (this.fitted) this.fit();
    const rests = this.simulation.alpha() <= AT_REST;
    this.canvas.dataset.layout = rests ? "rest" : "moves";
    clearTimeout(this.settling);
    if (rests) this.repaint(true);
    else if (calm) this.settling = setTimeout(() => this.settle(), 20);
    else this.simulation.restart();
  }

  setTransform(transform, fitted) {
    this.transform = transform;
    this.canvas.__zoom = transform; // where d3-zoom keeps it
    this.fitted = fitted;
  }

  // All of it in view.
  fit() {
    if (this.nodes.length === 0) return;
    const xs = this.nodes.map((n) => n.x),
      ys = this.nodes.map((n) => n.y),
      pad = 46;
    const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const k = Math.min(1.6, (this.width - 2 * pad) / (x1 - x0 || 1), (this.height - 2 * pad) / (y1 - y0 || 1));
    this.setTransform(this.centred(k, (x0 + x1) / 2, (y0 + y1) / 2), true);
  }

  centred(k, x, y) {
    return zoomIdentity.translate(this.width / 2 - k * x, this.height / 2 - k * y).scale(k);
  }

  setFocus(node) {
    this.focus = node;
    this.near = node && new Set([node]);
    for (const e of this.edges)
      if (node && (e.source === node || e.target === node)) this.near.add(e.source).add(e.target);
    this.canvas.dataset.focus = node ? node.f.i : "";
    this.canvas.dataset.near = node ? this.near.size - 1 : "";
    this.repaint(false);
  }

  // The feature in the middle and in focus, taken up if it was hidden.
  show(i) {
    if (!this.nodes.includes(this.nodeOf.get(i))) {
      this.wanted.add(i);
      this.select();
    }
    const n = this.nodeOf.get(i);
    this.setFocus(n);
    this.setTransform(this.centred(Math.max(this.transform.k, 0.8), n.x, n.y), false);
    this.repaint(true);
  }

  find(x, y) {
    let best = null,
      least = 6;
    for (const n of this.nodes) {
      const [nx, ny] = this.at(n),
        d = Math.hypot(nx - x, ny - y) - this.size(n);
      if (d < least) [best, least] = [n, d];
    }
    return best;
  }

  findEdge(x, y) {
    let best = null,
      least = 5;
    for (const e of this.edges) {
      const d = distanceTo(x, y, this.at(e.source), this.at(e.target));
      if (d < least) [best, least] = [e, d];
    }
    return best;
  }

  // A node at a place on the screen, where it stays.
  move(n, x, y) {
    this.fitted = false;
    [n.fx, n.fy] = [n.x, n.y] = this.transform.invert([x, y]);
    if (!calm && this.simulation.alpha() < 0.2) this.simulation.alpha(0.25).restart();
    this.repaint(true);
  }
}
