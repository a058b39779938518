// The picture: the graph as the covector runs through it, laid out by dagre. Groups of steps are one box
// until they are opened; only what is to be seen is laid out.

const MOST_BOXES = 300;
const MOST_BENDS = 4; // arrows to one leaf that are led around the boxes: dagre takes seconds for dozens of long ones
const MOST_ASIDE = 160;
const MOST_HEIGHT = 0.72; // of the window; smaller text than eight tenths is not worth seeing it all at once
const LINE = 17;
const PAD = 10;

/** What the picture shows of an explanation: boxes and groups by their key, and who holds whom. */
class Boxes {
  constructor(explanation) {
    this.parent = new Map();
    this.all = new Map();
    this.open = new Set();
    this.edges = explanation.graph.edges.map((edge) => ({ ...edge, from: `n${edge.source}`, to: `n${edge.target}` }));
    const nodes = new Map(explanation.graph.nodes.map((node) => [node.id, node]));
    const onLine = new Map();
    const lineOf = (node) => `${node.line} ${node.file}`;
    for (const node of nodes.values()) onLine.set(lineOf(node), (onLine.get(lineOf(node)) ?? 0) + 1);
    const add = (item, parent) => {
      const isGroup = typeof item === "object";
      const key = isGroup ? item.key : `n${item}`;
      this.all.set(key, isGroup
        ? { key, kind: "group", ...item, members: item.children.map((child) => add(child, key)) }
        : { key, ...nodes.get(item), tellsLine: nodes.get(item).variable !== null || onLine.get(lineOf(nodes.get(item))) < 3 });
      if (parent !== null) this.parent.set(key, parent);
      return key;
    };
    this.roots = explanation.tree.map((item) => add(item, null));
    for (const [k, output] of [...explanation.outputs.entries()].reverse()) {
      const key = `v${k}`;
      this.all.set(key, { key, kind: "covector", output, name: explanation.outputs.length > 1 ? `v${k}` : "v" });
      this.roots.unshift(key);
      if (output.node === null) continue; // nothing that was asked for leads to this output
      this.edges.push({ from: key, to: `n${output.node}`, norm: output.covector.norm, value: output.covector.value, shape: output.shape });
    }
  }

  /** The box that stands for a node: itself, or the outermost closed group that holds it. */
  shown(key) {
    let box = key;
    for (let at = this.parent.get(key); at !== undefined; at = this.parent.get(at)) {
      if (!this.open.has(at)) box = at;
    }
    return box;
  }

  /** Keys of the boxes and of the open groups to draw, from the outside in. */
  visible() {
    const boxes = [];
    const frames = [];
    const visit = (key) => {
      if (!this.open.has(key)) boxes.push(key);
      else {
        frames.push(key);
        this.all.get(key).members.forEach(visit);
      }
    };
    this.roots.forEach(visit);
    return { boxes, frames };
  }

  /** The covectors between visible boxes; those between the same two boxes together. */
  arrows() {
    const found = new Map();
    for (const edge of this.edges) {
      const [from, to] = [this.shown(edge.from), this.shown(edge.to)];
      if (from === to) continue;
      const key = `${from} ${to}`;
      if (!found.has(key)) found.set(key, { from, to, edges: [] });
      found.get(key).edges.push(edge);
    }
    return [...found.values()];
  }
}

/** The norm of several covectors taken together. */
function normOf(edges) {
  return Math.hypot(...edges.map((edge) => toNumber(edge.norm)));
}

function arrowText(edges) {
  const [edge] = edges;
  if (edges.length > 1) {
    const sum = edges.length < 4 ? edges.map((one) => arrowText([one])).join(" + ") : "";
    return sum && sum.length < 28 ? sum : `${edges.length} covectors`;
  }
  if (edge.value && edge.value.data !== undefined && sizeOf(edge.value.shape) <= 3) return valueText(edge.value);
  return `|g| ${numberText(edge.norm)}`;
}

function arrowClass(edges) {
  const norm = normOf(edges);
  if (!Number.isFinite(norm)) return "arrow bad";
  return norm === 0 ? "arrow nothing" : "arrow";
}

/** The op as its node is named: Mul for MulBackward0. */
function opName(box) {
  return box.name.replace(/Backward\d*$/, "") || box.name;
}

/** The lines of text in a box. */
function boxLines(box) {
  if (box.kind === "covector") {
    const { covector } = box.output;
    const large = sizeOf(covector.value.shape) > MOST_IN_TEXT;
    const value = large ? `${box.name}, ${shapeText(covector.value.shape)}` : `${box.name} = ${valueText(covector.value, 4)}`;
    return [["name", clipped(value, 34)],
      ["small", covector.default ? "left out, so 1" : covector.broadcast_from ? "a batch of covectors" : "the gradient argument"]];
  }
  if (box.kind === "group") {
    const lines = [["name", clipped(box.title, 30)], ["small", `${box.count} steps${box.part ? `, part ${box.part}` : ""}`]];
    if (box.subtitle) lines.splice(1, 0, ["code", clipped(box.subtitle, 34)]);
    return lines;
  }
  if (box.kind === "leaf") {
    const lines = [["name", box.variable ?? box.name], ["small", `leaf, ${shapeText(box.shape ?? [])}`]];
    if (box.incoming) {
      const { value, norm } = box.incoming;
      const small = value && value.data !== undefined && sizeOf(value.shape) <= 4;
      lines.push(["code", small ? `vᵀ·J = ${valueText(value)}` : `|vᵀ·J| = ${numberText(norm)}`]);
    }
    return lines;
  }
  const op = opName(box);
  const lines = [["name", clipped(box.variable ? `${box.variable} = ${op}` : op, 28)]];
  if (box.code && box.tellsLine) lines.push(["code", clipped(box.code, 34)]);
  lines.push(["small", [box.shape ? shapeText(box.shape) : "", box.structure].filter(Boolean).join(", ")]);
  return lines;
}

/** What a screen reader says of a box. */
function boxLabel(box) {
  const parts = boxLines(box).map(([, text]) => text);
  const place = placeText(box);
  if (place) parts.push(place);
  if (box.incoming) parts.push(`incoming covector of norm ${numberText(box.incoming.norm)}`);
  return parts.join("; ");
}

class Picture {
  constructor(explanation, details) {
    this.boxes = new Boxes(explanation);
    this.details = details;
    this.scale = null;
    this.current = null;
    this.status = make("span", { class: "status", role: "status" });
    this.pane = make("div", { class: "pane" });
    const button = (text, label, onclick) => make("button", { type: "button", "aria-label": label, title: label, onclick }, text);
    this.body = make("div", { class: "picture" },
      make("div", { class: "tools" },
        button("−", "Smaller", () => this.zoom(0.8)), button("+", "Larger", () => this.zoom(1.25)),
        button("Fit", "Fit into the window", () => { this.scale = null; this.resize(); }), this.status),
      this.pane);
    this.measure = document.createElement("canvas").getContext("2d");
    this.width = 0;
    new ResizeObserver(() => {
      if (this.pane.clientWidth && this.pane.clientWidth !== this.width) this.render();
    }).observe(this.pane);
  }

  sizeOfBox(lines) {
    const style = getComputedStyle(document.body);
    let width = 0;
    for (const [kind, text] of lines) {
      this.measure.font = kind === "code" ? `12px ${style.getPropertyValue("--mono")}` : kind === "name" ? `600 14px ${style.fontFamily}` : `12px ${style.fontFamily}`;
      width = Math.max(width, this.measure.measureText(text).width);
    }
    return { width: Math.ceil(Math.max(width, 60)) + 2 * PAD + 4, height: lines.length * LINE + 2 * PAD - 4 };
  }

  /** Lay out the visible boxes; from left to right where that fits, from top to bottom otherwise. */
  layout() {
    const { boxes, frames } = this.boxes.visible();
    const [arrows, passing] = this.shared(this.boxes.arrows());
    const attempt = (rankdir) => {
      const graph = new dagre.graphlib.Graph({ compound: frames.length > 0 });
      graph.setGraph({ rankdir, nodesep: 18, ranksep: rankdir === "LR" ? 46 : 34, marginx: 12, marginy: 12 });
      for (const key of frames) graph.setNode(key, {});
      for (const key of boxes) {
        const lines = boxLines(this.boxes.all.get(key));
        graph.setNode(key, { lines, ...this.sizeOfBox(lines) });
      }
      for (const key of [...frames, ...boxes]) {
        const parent = this.boxes.parent.get(key);
        if (parent !== undefined) graph.setParent(key, parent);
      }
      for (const arrow of arrows) {
        const text = arrowText(arrow.edges);
        this.measure.font = `11px ${getComputedStyle(document.body).fontFamily}`;
        graph.setEdge(arrow.from, arrow.to, {
          ...arrow, text, width: this.measure.measureText(text).width + 8, height: 15, labelpos: "c",
        });
      }
      dagre.layout(graph);
      graph.aside = passing;
      return graph;
    };
    const across = boxes.length <= 12 ? attempt("LR") : null;
    if (across && across.graph().width <= this.pane.clientWidth) return [across, frames, boxes];
    return [attempt("TB"), frames, boxes];
  }

  /** The arrows to lay out, and those that pass beside: all but the last to a leaf that many steps share. */
  shared(arrows) {
    const last = new Map();
    const count = new Map();
    for (const arrow of arrows) {
      last.set(arrow.to, arrow);
      count.set(arrow.to, (count.get(arrow.to) ?? 0) + 1);
    }
    const goesAside = (arrow) => this.boxes.all.get(arrow.to).kind === "leaf"
      && count.get(arrow.to) > MOST_BENDS && last.get(arrow.to) !== arrow;
    return [arrows.filter((arrow) => !goesAside(arrow)), arrows.filter(goesAside)];
  }

  render() {
    this.width = this.pane.clientWidth;
    if (!this.width) return;
    const [graph, frames, boxes] = this.layout();
    const aside = graph.aside.length ? MOST_ASIDE / 2 : 0; // a curve comes half as far as the point that bends it
    const width = graph.graph().width + 2 * aside;
    const { height } = graph.graph();
    this.size = { width, height };
    this.svg = draw("svg", {
      viewBox: `${-aside} 0 ${width} ${height}`, role: "group",
      "aria-label": "The graph that v runs through. Arrow keys move between boxes, Enter opens or closes a group.",
      onkeydown: (event) => this.key(event),
    });
    this.svg.append(draw("defs", {}, ...["", "nothing", "bad"].map((kind) =>
      draw("marker", { id: `tip${kind}`, class: `tip ${kind}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" },
        draw("path", { d: "M0,0.5 L8,4 L0,7.5 z" })))));
    this.places = new Map();
    this.elements = new Map();
    for (const key of frames) this.drawFrame(key, graph.node(key));
    for (const arrow of graph.aside) this.drawAside(arrow, graph.node(arrow.from), graph.node(arrow.to));
    for (const edge of graph.edges()) this.drawArrow(graph.edge(edge));
    for (const key of boxes) this.drawBox(key, graph.node(key));
    this.pane.replaceChildren(this.svg);
    this.resize();
    const current = this.elements.has(this.current) ? this.current : boxes[0];
    this.choose(current, false);
    this.rendered = boxes.length;
  }

  resize() {
    const wide = (this.pane.clientWidth - 2) / this.size.width;
    const high = (MOST_HEIGHT * window.innerHeight) / this.size.height;
    const fit = Math.min(1, Math.max(wide, 0.55), Math.max(high, 0.8));
    const scale = this.scale ?? fit;
    this.svg.setAttribute("width", this.size.width * scale);
    this.svg.setAttribute("height", this.size.height * scale);
  }

  zoom(factor) {
    const now = this.svg.getAttribute("width") / this.size.width;
    this.scale = Math.min(3, Math.max(0.1, now * factor));
    this.resize();
  }

  drawArrow(edge) {
    const kind = arrowClass(edge.edges);
    const norm = normOf(edge.edges);
    const path = draw("path", {
      class: kind, d: curve(edge.points), "marker-end": `url(#tip${kind.split(" ")[1] ?? ""})`,
      "stroke-width": Number.isFinite(norm) && norm > 0 ? Math.min(3, Math.max(1.1, 1.6 + 0.25 * Math.log10(norm))) : 1.2,
    });
    this.svg.append(path, draw("text", { class: `${kind} label`, x: edge.x, y: edge.y + 4, "text-anchor": "middle" }, edge.text));
  }

  /** An arrow past the boxes in between: out at the side that its leaf is on, the wider the longer. */
  drawAside(arrow, from, to) {
    const side = to.x < from.x ? -1 : 1;
    const start = { x: from.x + (side * from.width) / 2, y: from.y };
    const end = { x: to.x + (side * to.width) / 2, y: to.y };
    const outer = side * Math.max(side * start.x, side * end.x);
    const bend = { x: outer + side * Math.min(MOST_ASIDE, 20 + 0.25 * Math.abs(end.y - start.y)), y: (start.y + end.y) / 2 };
    const kind = arrowClass(arrow.edges);
    this.svg.append(draw("path", { class: `${kind} aside`, d: curve([start, bend, end]), "marker-end": `url(#tip${kind.split(" ")[1] ?? ""})` }));
  }

  listen(key) {
    return {
      onclick: () => { this.choose(key, true); this.toggle(key); },
      onmouseenter: () => this.details.show(this.boxes.all.get(key), this.boxes, false),
      onmouseleave: () => this.details.show(this.boxes.all.get(this.current), this.boxes, true),
      onfocus: () => this.choose(key, false),
    };
  }

  drawBox(key, { x, y, width, height, lines }) {
    const box = this.boxes.all.get(key);
    const group = draw("g", {
      class: `box ${box.kind}`, transform: `translate(${x - width / 2},${y - height / 2})`, tabindex: -1,
      role: "button", "aria-label": boxLabel(box), "data-key": key,
      "aria-expanded": box.kind === "group" ? "false" : null, ...this.listen(key),
    });
    if (box.kind === "group") group.append(draw("rect", { class: "behind", x: 4, y: 4, width, height, rx: 8 }));
    group.append(draw("rect", { class: "face", width, height, rx: box.kind === "leaf" || box.kind === "covector" ? height / 2.6 : 8 }));
    lines.forEach(([kind, text], k) =>
      group.append(draw("text", { class: kind, x: width / 2, y: PAD + LINE * k + 11, "text-anchor": "middle" }, text)));
    this.svg.append(group);
    this.elements.set(key, group);
    this.places.set(key, { x, y });
  }

  drawFrame(key, { x, y, width, height }) {
    const box = this.boxes.all.get(key);
    const [left, top] = [x - width / 2, y - height / 2];
    const group = draw("g", {
      class: "box frame", transform: `translate(${left},${top})`, tabindex: -1, role: "button",
      "aria-expanded": "true", "aria-label": `${box.title}, ${box.count} steps, open`, "data-key": key, ...this.listen(key),
    });
    group.append(draw("rect", { class: "face", width, height, rx: 10 }),
      draw("text", { class: "small", x: 10, y: 14 }, `▾ ${clipped(box.title, Math.max(8, Math.floor(width / 8)))}`));
    this.svg.append(group);
    this.elements.set(key, group);
    this.places.set(key, { x: left, y: top });
  }

  /** Make a box the one that the tab key reaches, and tell about it. */
  choose(key, focus) {
    this.elements.get(this.current)?.setAttribute("tabindex", -1);
    this.elements.get(this.current)?.classList.remove("current");
    this.current = key;
    const element = this.elements.get(key);
    if (!element) return;
    element.setAttribute("tabindex", 0);
    element.classList.add("current");
    this.details.show(this.boxes.all.get(key), this.boxes, true);
    if (focus) element.focus({ preventScroll: false });
  }

  toggle(key) {
    const box = this.boxes.all.get(key);
    if (box.kind !== "group") return;
    if (this.boxes.open.has(key)) this.boxes.open.delete(key);
    else if (this.rendered + box.members.length > MOST_BOXES) {
      this.status.textContent = `${this.rendered} boxes are open: close a group first.`;
      return;
    } else this.boxes.open.add(key);
    this.status.textContent = this.boxes.open.has(key) ? `${clipped(box.title, 40)} is open.` : `${clipped(box.title, 40)} is closed.`;
    this.current = key;
    this.render();
    this.choose(key, true);
  }

  key(event) {
    const box = this.boxes.all.get(this.current);
    if (event.key === "Enter" || event.key === " ") this.toggle(this.current);
    else if (event.key === "Escape") {
      const parent = this.boxes.parent.get(this.current);
      if (parent !== undefined) this.toggle(parent);
    } else if (event.key.startsWith("Arrow")) {
      const next = this.neighbour(event.key, box.key);
      if (next !== null) this.choose(next, true);
    } else return;
    event.preventDefault();
  }

  /** The nearest box in the direction of an arrow key. */
  neighbour(key, from) {
    const here = this.places.get(from);
    const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
    let best = null;
    let least = Infinity;
    for (const [other, place] of this.places) {
      const [x, y] = [place.x - here.x, place.y - here.y];
      const along = x * dx + y * dy;
      const aside = Math.abs(x * dy) + Math.abs(y * dx);
      if (other !== from && along > 1 && along + 2 * aside < least) {
        least = along + 2 * aside;
        best = other;
      }
    }
    return best;
  }
}

/** A smooth line through dagre's points: each inner point bends the line, halves of the legs are its ends. */
function curve(points) {
  const at = ({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`;
  const middle = (a, b) => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });
  let path = `M${at(points[0])}`;
  for (let k = 1; k < points.length - 1; k++) {
    const end = k === points.length - 2 ? points[k + 1] : middle(points[k], points[k + 1]);
    path += ` Q${at(points[k])} ${at(end)}`;
  }
  return points.length > 2 ? path : `${path} L${at(points[points.length - 1])}`;
}
