// What the picture shows: boxes and groups by their key, the covectors between them, and the words in them.

const MOST_CHIPS = 10; // rounds of a loop in its row
const FEWEST_CHIPS = 5;
const FLOWS = 5; // widths and colours of arrows, from the smallest |g| of the picture to the largest

class Boxes {
  constructor(explanation) {
    this.parent = new Map();
    this.all = new Map();
    this.open = new Set();
    this.edges = explanation.graph.edges.map((edge) => ({ ...edge, from: `n${edge.source}`, to: `n${edge.target}` }));
    const nodes = new Map(explanation.graph.nodes.map((node) => [node.id, node]));
    const add = (item, parent) => {
      const isGroup = typeof item === "object";
      const key = isGroup ? item.key : `n${item}`;
      this.all.set(key, isGroup
        ? { key, group: item.kind, ...item, kind: "group", members: item.children.map((child) => add(child, key)) }
        : { key, ...nodes.get(item) });
      if (parent !== null) this.parent.set(key, parent);
      return key;
    };
    this.roots = explanation.tree.map((item) => add(item, null));
    for (const [k, output] of [...explanation.outputs.entries()].reverse()) {
      const key = `v${k}`;
      this.all.set(key, { key, kind: "covector", output, name: explanation.outputs.length > 1 ? `v${k}` : "v", file: explanation.call.file, line: explanation.call.line });
      this.roots.unshift(key);
      if (output.node === null) continue; // nothing that was asked for leads to this output
      this.edges.push({ from: key, to: `n${output.node}`, norm: output.covector.norm, value: output.covector.value, shape: output.shape });
    }
    this.range = normRange(this.edges.map((edge) => edge.norm));
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

  /** The steps in a box, itself where it is one. */
  steps(key) {
    const box = this.all.get(key);
    return box.kind === "group" ? box.members.flatMap((member) => this.steps(member)) : [box];
  }

  /** The step whose result is that of the whole box: the first on the way back. */
  result(key) {
    return this.steps(key).find((step) => step.kind !== "leaf") ?? this.steps(key)[0];
  }

  /** The lines of the program that a box was made by. */
  lines(key) {
    return [...new Set(this.steps(key).map((step) => Links.key(step)).filter(Boolean))];
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

  /** The covector that comes into a box from outside of it, as a norm; null where none does. */
  arriving(key) {
    const { incoming } = this.result(key) ?? {};
    return incoming ? incoming.norm : null;
  }

  /** What the boxes of a box are called and what they hold, as lines of text. */
  text(key) {
    const box = this.all.get(key);
    if (box.kind === "covector") return covectorLines(box);
    if (box.kind === "leaf") return leafLines(box);
    const result = this.result(key);
    const lines = [["name", clipped(this.title(key), 34)]];
    const shown = resultText(result);
    if (shown) lines.push(["small", shown]);
    if (box.kind === "group") {
      const leaves = this.steps(key).filter((step) => step.kind === "leaf" && step.incoming);
      if (box.group === "call" || box.group === "loop") lines.push(...leaves.slice(0, 2).map((leaf) => ["leaf", `${lastName(leaf.variable ?? "leaf")} |g| ${shortNumber(leaf.incoming.norm)}`]));
      if (leaves.length > 2 || box.group === "container" || box.group === "piece") {
        lines.push(["small", `${box.count} steps${leaves.length ? `, ${leaves.length} ${leaves.length === 1 ? "leaf" : "leaves"}` : ""}${box.part && box.group === "piece" ? `, part ${box.part}` : ""}`]);
      }
    }
    return lines;
  }

  /** What a box is called by a beginner. */
  title(key) {
    const box = this.all.get(key);
    if (box.kind === "group") return box.group === "loop" ? `${box.title} ×${box.rounds}` : this.assigned(key, box.title);
    return this.assigned(key, box.title ?? opName(box));
  }

  /** The variable that the program gave a result, before what made it. */
  assigned(key, name) {
    const { variable, kind } = this.result(key) ?? {};
    return variable && kind !== "leaf" && variable !== name && !name.includes(".") ? `${variable} = ${name}` : name;
  }

  /** What a screen reader says of a box, and the pointer's tip. */
  label(key) {
    const box = this.all.get(key);
    const parts = this.text(key).map(([, text]) => text);
    if (box.says) parts.push(box.says);
    const place = placeText(this.result(key) ?? box);
    if (place) parts.push(place);
    const norm = this.arriving(key);
    if (norm !== null && box.kind !== "covector") parts.push(`incoming covector of norm ${numberText(norm)}`);
    return parts.join("; ");
  }
}

/** Shape and values of a result, on one line. */
function resultText(step) {
  if (!step || !step.shape) return "";
  const shape = shapeText(step.shape);
  const { value } = step;
  if (!value) return shape;
  if (value.data !== undefined) return `${shape === "scalar" ? "" : `${shape}, `}${valueText(value)}`;
  return `${shape}, ${shortNumber(value.summary.min)} to ${shortNumber(value.summary.max)}`;
}

function covectorLines({ name, output }) {
  const { covector } = output;
  const large = sizeOf(covector.value.shape) > MOST_IN_TEXT;
  const value = large ? `${name}, ${shapeText(covector.value.shape)}` : `${name} = ${valueText(covector.value, 4)}`;
  return [["name", clipped(value, 34)],
    ["small", covector.default ? "left out, so 1" : covector.broadcast_from ? "a batch of covectors" : "the gradient argument"]];
}

function leafLines(box) {
  const lines = [["name", clipped(box.variable ?? box.name, 30)]];
  const shape = shapeText(box.shape ?? []);
  if (!box.incoming) return [...lines, ["small", `leaf, ${shape}`]];
  const { value, norm } = box.incoming;
  const small = value && value.data !== undefined && sizeOf(value.shape) <= 3;
  return [...lines, ["small", small ? `leaf, vᵀ·J = ${valueText(value)}` : `leaf ${shape}, |g| ${shortNumber(norm)}`]];
}

/** The last part of a name: weight of model.2.weight. */
function lastName(name) {
  return name.split(".").pop();
}

/** The norm of several covectors taken together. */
function normOf(edges) {
  return Math.hypot(...edges.map((edge) => toNumber(edge.norm)));
}

function arrowText(edges) {
  const [edge] = edges;
  if (edges.length === 1 && edge.value && edge.value.data !== undefined && sizeOf(edge.value.shape) <= 3) return valueText(edge.value);
  return `|g| ${shortNumber(normOf(edges))}${edges.length > 1 ? ` (${edges.length})` : ""}`;
}

/** The smallest and the largest norm above 0, as logarithms; at least two decades apart. */
function normRange(norms) {
  const logs = norms.map(toNumber).filter((norm) => norm > 0 && Number.isFinite(norm)).map(Math.log10);
  const high = logs.length ? Math.max(...logs) : 0;
  return { low: Math.min(high - 2, ...logs), high };
}

/** Where a norm lies between the smallest and the largest, from 0 to 1 on a scale of logarithms. */
function flowShare(norm, low, high) {
  const size = toNumber(norm);
  return size > 0 && Number.isFinite(size) ? Math.min(1, Math.max(0, (Math.log10(size) - low) / (high - low))) : 0;
}

/** The class of a norm: not finite, zero, or how large it is among the others. */
function flowClass(norm, low, high) {
  const size = toNumber(norm);
  if (!Number.isFinite(size)) return "bad";
  if (size === 0) return "nothing";
  return `flow${Math.min(FLOWS - 1, Math.floor(flowShare(size, low, high) * FLOWS))}`;
}

/** The op as a beginner knows it, and the record's name where nothing else is known. */
function opName(box) {
  return box.known_as ?? (box.name.replace(/Backward\d*$/, "") || box.name);
}
