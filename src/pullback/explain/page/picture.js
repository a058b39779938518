// The picture: the graph as the covector runs through it, laid out by dagre. Groups of steps are one box
// until they are opened; only what is to be seen is laid out.

const MOST_BOXES = 300;
const MOST_BENDS = 4; // arrows to one leaf that are led around the boxes: dagre takes seconds for dozens of long ones
const MOST_ASIDE = 160;
const MOST_HEIGHT = 0.86; // of the window
const LEAST_SCALE = 0.4; // of text that can still be read; a larger picture is scrolled, from v on
const NARROW = 480; // a phone's picture, in which a long row is too small to be read
const CHIP = { width: 62, height: 34, gap: 12 };
const LINE = 17;
const PAD = 10;

class Picture {
  constructor(explanation, details, links) {
    this.boxes = new Boxes(explanation);
    this.details = details;
    this.links = links;
    this.scale = null;
    this.current = null;
    this.status = make("span", { class: "status", role: "status" });
    this.pane = make("div", { class: "pane" });
    const button = (text, label, onclick) => make("button", { type: "button", "aria-label": label, title: label, onclick }, text);
    this.body = make("div", { class: "picture" },
      make("div", { class: "tools" },
        button("−", "Smaller", () => this.zoom(0.8)), button("+", "Larger", () => this.zoom(1.25)),
        button("Fit", "Fit into the window", () => { this.scale = null; this.resize(); }), this.status),
      this.pane, legend(this.boxes));
    links.onPoint((lit) => this.light(lit));
    links.onChoose(this, (line) => this.chooseLine(line));
    this.measure = document.createElement("canvas").getContext("2d");
    this.width = 0;
    new ResizeObserver(() => {
      if (this.pane.clientWidth && this.pane.clientWidth !== this.width) this.render();
    }).observe(this.pane);
  }

  sizeOfBox(key, lines) {
    const style = getComputedStyle(document.body);
    let width = 0;
    for (const [kind, text] of lines) {
      this.measure.font = kind === "name" ? `600 14px ${style.fontFamily}` : `12px ${style.fontFamily}`;
      width = Math.max(width, this.measure.measureText(text).width);
    }
    const size = { width: Math.ceil(Math.max(width, 60)) + 2 * PAD + 4, height: lines.length * LINE + 2 * PAD - 6 };
    const chips = this.chips(key).length;
    if (chips) {
      size.width = Math.max(size.width, chips * (CHIP.width + CHIP.gap) + CHIP.gap);
      size.height += CHIP.height + 6;
    }
    return size;
  }

  /** The rounds of a closed loop that are drawn in its row; null stands for those left out. */
  chips(key) {
    const box = this.boxes.all.get(key);
    const most = this.pane.clientWidth < NARROW ? FEWEST_CHIPS : MOST_CHIPS;
    return box.group === "loop" ? shownPlaces(box.members.length, most).map((k) => (k === null ? null : box.members[k])) : [];
  }

  /** Lay out the visible boxes, from top to bottom or from left to right: whichever is seen larger. */
  layout() {
    const { boxes, frames } = this.boxes.visible();
    const [arrows, passing] = this.shared(this.boxes.arrows());
    const attempt = (rankdir) => {
      const graph = new dagre.graphlib.Graph({ compound: frames.length > 0 });
      graph.setGraph({ rankdir, nodesep: 16, ranksep: rankdir === "LR" ? 30 : 14, marginx: 10, marginy: 10 });
      for (const key of frames) graph.setNode(key, {});
      for (const key of boxes) {
        const lines = this.boxes.text(key);
        graph.setNode(key, { lines, ...this.sizeOfBox(key, lines) });
      }
      for (const key of [...frames, ...boxes]) {
        const parent = this.boxes.parent.get(key);
        if (parent !== undefined && frames.includes(parent)) graph.setParent(key, parent);
      }
      for (const arrow of arrows) {
        const text = arrowText(arrow.edges);
        this.measure.font = `11px ${getComputedStyle(document.body).fontFamily}`;
        graph.setEdge(arrow.from, arrow.to, {
          ...arrow, text, width: this.measure.measureText(text).width + 4, height: 14, labelpos: rankdir === "TB" ? "r" : "c", labeloffset: 6,
        });
      }
      dagre.layout(graph);
      graph.aside = passing;
      return graph;
    };
    const down = attempt("TB");
    if (boxes.length > 12 || frames.length) return [down, frames, boxes];
    const across = attempt("LR");
    return [this.fit(across.graph()) > this.fit(down.graph()) ? across : down, frames, boxes];
  }

  /** The scale at which a picture is seen whole, at most 1. */
  fit({ width, height }) {
    return Math.min(1, (this.pane.clientWidth - 2) / width, (MOST_HEIGHT * window.innerHeight) / height);
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
    this.svg.append(draw("defs", {}, ...["nothing", "bad", ...Array.from({ length: FLOWS }, (_, k) => `flow${k}`)].map((kind) =>
      draw("marker", { id: `tip-${kind}`, class: `tip ${kind}`, viewBox: "0 0 8 8", refX: 6.5, refY: 4, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto" },
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
    const scale = this.scale ?? Math.max(LEAST_SCALE, this.fit(this.size));
    this.svg.setAttribute("width", this.size.width * scale);
    this.svg.setAttribute("height", this.size.height * scale);
    if (this.scale !== null) return;
    this.pane.scrollTop = 0;
    this.pane.scrollLeft = this.places.get("v0").x * scale - this.pane.clientWidth / 2;
  }

  zoom(factor) {
    const now = this.svg.getAttribute("width") / this.size.width;
    this.scale = Math.min(3, Math.max(0.1, now * factor));
    this.resize();
  }

  arrowLook(edges) {
    const { low, high } = this.boxes.range;
    const kind = flowClass(normOf(edges), low, high);
    return { kind: `arrow ${kind}`, look: { "marker-end": `url(#tip-${kind})`, "stroke-width": 1 + 4 * flowShare(normOf(edges), low, high) } };
  }

  drawArrow(edge) {
    const { kind, look } = this.arrowLook(edge.edges);
    const path = draw("path", { class: kind, d: curve(edge.points), ...look },
      draw("title", {}, `covector of shape ${shapeText(edge.edges[0].shape)}, norm ${numberText(normOf(edge.edges))}`));
    this.svg.append(path, draw("text", { class: `${kind} label`, x: edge.x, y: edge.y + 4, "text-anchor": "middle" }, edge.text));
  }

  /** An arrow past the boxes in between: out at the side that its leaf is on, the wider the longer. */
  drawAside(arrow, from, to) {
    const side = to.x < from.x ? -1 : 1;
    const start = { x: from.x + (side * from.width) / 2, y: from.y };
    const end = { x: to.x + (side * to.width) / 2, y: to.y };
    const outer = side * Math.max(side * start.x, side * end.x);
    const bend = { x: outer + side * Math.min(MOST_ASIDE, 20 + 0.25 * Math.abs(end.y - start.y)), y: (start.y + end.y) / 2 };
    const { kind, look } = this.arrowLook(arrow.edges);
    this.svg.append(draw("path", { class: `${kind} aside`, d: curve([start, bend, end]), ...look }));
  }

  listen(key) {
    return {
      onclick: (event) => { event.stopPropagation(); this.choose(key, true); this.toggle(key); },
      onmouseenter: () => { this.details.show(key, this.boxes, false); this.links.point(this.boxes.lines(key)); },
      onmouseleave: () => { this.details.show(this.current, this.boxes, true); this.links.point([]); },
      onfocus: () => this.choose(key, false),
    };
  }

  drawBox(key, { x, y, width, height, lines }) {
    const box = this.boxes.all.get(key);
    const group = draw("g", {
      class: `box ${box.kind} ${box.group ?? ""}`.trim(), transform: `translate(${x - width / 2},${y - height / 2})`, tabindex: -1,
      role: "button", "aria-label": this.boxes.label(key), "data-key": key,
      "aria-expanded": box.kind === "group" ? "false" : null, ...this.listen(key),
    });
    group.append(draw("title", {}, this.boxes.label(key)));
    if (box.kind === "group") group.append(draw("rect", { class: "behind", x: 4, y: 4, width, height, rx: 8 }));
    group.append(draw("rect", { class: "face", width, height, rx: box.kind === "leaf" || box.kind === "covector" ? height / 2.6 : 8 }));
    lines.forEach(([kind, text], k) =>
      group.append(draw("text", { class: /\b(nan|inf)$/.test(text) ? `${kind} bad` : kind, x: width / 2, y: PAD + LINE * k + 10, "text-anchor": "middle" }, text)));
    this.drawChips(key, group, { x: x - width / 2, y: y - height / 2, width, top: lines.length * LINE + PAD });
    this.svg.append(group);
    this.elements.set(key, group);
    this.places.set(key, { x, y });
  }

  /** The rounds of a loop in one row, in the order in which the covector goes through them. */
  drawChips(key, group, { x, y, width, top }) {
    const chips = this.chips(key);
    const { low, high } = this.boxes.range;
    let left = (width - chips.length * (CHIP.width + CHIP.gap) + CHIP.gap) / 2;
    for (const [place, member] of chips.entries()) {
      const middle = top + CHIP.height / 2;
      if (place) group.append(draw("path", { class: "between", d: `M${left - CHIP.gap},${middle} h${CHIP.gap - 2}`, "marker-end": "url(#tip-flow1)" }));
      if (member === null) group.append(draw("text", { class: "small", x: left + CHIP.width / 2, y: middle + 4, "text-anchor": "middle" }, "…"));
      else {
        const norm = this.boxes.arriving(member);
        const chip = draw("g", {
          class: `box chip ${norm === null ? "nothing" : flowClass(norm, low, high)}`, transform: `translate(${left},${top})`,
          tabindex: -1, role: "button", "aria-label": this.boxes.label(member), "data-key": member, ...this.listen(member),
          onclick: (event) => { event.stopPropagation(); this.choose(member, true); },
        },
          draw("title", {}, this.boxes.label(member)),
          draw("rect", { class: "face", width: CHIP.width, height: CHIP.height, rx: 6 }),
          draw("text", { class: "small", x: CHIP.width / 2, y: 14, "text-anchor": "middle" }, this.roundText(key, member)),
          draw("text", { class: "small", x: CHIP.width / 2, y: 28, "text-anchor": "middle" }, norm === null ? "" : shortNumber(norm)));
        group.append(chip);
        this.elements.set(member, chip);
        this.places.set(member, { x: x + left + CHIP.width / 2, y: y + middle });
      }
      left += CHIP.width + CHIP.gap;
    }
  }

  /** Which round of its loop a chip is, counted as the program runs; of a long loop, which part. */
  roundText(key, member) {
    const { members, rounds } = this.boxes.all.get(key);
    return members.length === rounds ? `round ${rounds - members.indexOf(member)}` : `part ${members.length - members.indexOf(member)}`;
  }

  /** Mark the boxes that lines of the program made. */
  light(lit) {
    for (const [key, element] of this.elements) {
      element.classList.toggle("lit", lit.size > 0 && this.boxes.lines(key).some((line) => lit.has(line)));
    }
  }

  /** Choose the first box that a line made, and bring it into sight. */
  chooseLine(line) {
    const key = [...this.elements.keys()].find((box) => this.boxes.lines(box).includes(line));
    if (key === undefined) return;
    this.choose(key, false);
    const scale = this.svg.getAttribute("width") / this.size.width;
    this.pane.scrollTop = this.places.get(key).y * scale - this.pane.clientHeight / 2;
    this.light(new Set([line]));
  }

  drawFrame(key, { x, y, width, height }) {
    const box = this.boxes.all.get(key);
    const [left, top] = [x - width / 2, y - height / 2];
    const group = draw("g", {
      class: "box frame", transform: `translate(${left},${top})`, tabindex: -1, role: "button",
      "aria-expanded": "true", "aria-label": `${this.boxes.title(key)}, ${box.count} steps, open`, "data-key": key, ...this.listen(key),
    });
    group.append(draw("rect", { class: "face", width, height, rx: 10 }),
      draw("text", { class: "small", x: 10, y: 14 }, `▾ ${clipped(this.boxes.title(key), Math.max(8, Math.floor(width / 8)))}`));
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
    this.details.show(key, this.boxes, true);
    if (focus) {
      element.focus({ preventScroll: false });
      this.links.choose(this.boxes.lines(key)[0], this);
    }
  }

  toggle(key) {
    const box = this.boxes.all.get(key);
    if (box.kind !== "group" || !(this.boxes.open.has(key) || this.boxes.shown(key) === key)) return;
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

/** What colours, widths and strokes mean. */
function legend(boxes) {
  const { low, high } = boxes.range;
  const sample = (kind, width) => draw("svg", { class: "sample", viewBox: "0 0 30 10", width: 30, height: 10, "aria-hidden": "true" },
    draw("path", { class: `arrow ${kind}`, d: "M1,5 H29", "stroke-width": width }));
  const swatch = (kind, text, tip) => make("span", { class: "key", title: tip }, make("span", { class: `swatch ${kind}` }), text);
  return make("p", { class: "legend" },
    swatch("covector", "v", "The covector that backward starts with: of a loss it is 1"),
    swatch("step", "step", "One op: what is saved of it, and its slope, take the covector on"),
    swatch("call", "call", "A call of a module or function that is made of several steps: a click opens it"),
    swatch("leaf", "leaf", "A tensor that requires grad and that no op made: what arrives is added to .grad"),
    make("span", { class: "key", title: "The norm of the covector, on a scale of logarithms: width and colour" },
      sample("flow0", 1), `|g| ${shortNumber(10 ** low)}`, sample(`flow${FLOWS - 1}`, 5), shortNumber(10 ** high)),
    make("span", { class: "key" }, sample("nothing", 1.2), "0"),
    make("span", { class: "key" }, sample("bad", 2), "NaN or infinite"));
}
