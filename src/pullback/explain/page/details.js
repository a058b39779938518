// What is known of one box, beside the picture: the source line, the rule, the covectors in and out.

const MOST_ARROWS = 12;

class Details {
  constructor() {
    this.body = make("aside", { class: "details", "aria-label": "About the chosen box" });
  }

  /** Tell about a box; `chosen` says whether it is the one that was picked, not only pointed at. */
  show(key, boxes, chosen) {
    const box = boxes.all.get(key);
    if (!box) return;
    this.body.classList.toggle("pointed", !chosen);
    const entries = [];
    const add = (name, ...value) => entries.push(make("dt", {}, name), make("dd", {}, ...value));
    if (box.kind === "covector") this.tellCovector(box, add);
    else if (box.kind === "group") this.tellGroup(box, boxes, add);
    else this.tellStep(box, boxes, add);
    const says = box.says ?? (box.kind === "leaf" ? "What arrives here is added to .grad." : null);
    this.body.replaceChildren(make("h3", {}, boxTitle(box, boxes)), says ? make("p", { class: "says" }, says) : "", make("dl", {}, ...entries));
  }

  tellCovector({ output }, add) {
    const { covector } = output;
    if (covector.name) add("given as", make("code", {}, covector.name));
    add("value", make("code", {}, valueText(covector.value)));
    add("shape", `${shapeText(covector.value.shape)}, as ${output.name} is ${shapeText(output.shape)}`);
    if (covector.default) add("default", "backward() was called without it: a single output gets v = 1");
    if (covector.broadcast_from) add("broadcast", "the leading axes count covectors, whose pullbacks add up");
    add("norm", numberText(covector.norm));
  }

  tellGroup(box, boxes, add) {
    const result = boxes.result(box.key);
    if (placeText(result)) add("line", make("span", { title: result.file }, placeText(result)));
    if (result.value) add("result", resultText(result));
    add("holds", `${box.count} steps${box.part ? `, part ${box.part}` : ""}${box.rounds ? `, ${box.rounds} rounds` : ""}`);
    const inside = boxes.steps(box.key).filter((step) => step.says);
    const telling = inside.filter((step) => step.structure !== "selection"); // views only move elements
    const sentences = [...new Set((telling.length ? telling : inside).map((step) => step.says))];
    if (sentences.length) add("in it", make("ul", {}, ...sentences.slice(0, 6).map((one) => make("li", {}, one))));
    const [into, out] = [[], []];
    for (const arrow of boxes.arrows()) {
      if (arrow.to === box.key) into.push(...arrow.edges);
      if (arrow.from === box.key) out.push(...arrow.edges);
    }
    if (into.length) add("covectors in", `${into.length}, norm ${numberText(normOf(into))}`);
    if (out.length) add("covectors out", `${out.length}, norm ${numberText(normOf(out))}`);
    const leaves = boxes.steps(box.key).filter((step) => step.kind === "leaf" && step.incoming);
    if (leaves.length) add("leaves", make("ul", {}, ...leaves.slice(0, MOST_ARROWS).map((leaf) => make("li", {}, make("code", {}, leaf.variable ?? "leaf"), ` |g| ${numberText(leaf.incoming.norm)}`))));
    add("", boxes.open.has(box.key) ? "Enter or a click closes it." : "Enter or a click opens it.");
  }

  tellStep(box, boxes, add) {
    if (box.code) add("line", make("code", { class: "source" }, box.code));
    if (placeText(box)) add(box.code ? "" : "line", make("span", { title: box.file }, placeText(box)));
    if (box.module) add("module", make("code", {}, box.module));
    if (box.formula) add("rule", ...box.formula.split("\n").map((line) => make("code", { class: "rule" }, line)));
    if (box.inside) add("inside", insideTable(box.inside));
    if (box.structure) add("its J is", box.structure);
    if (box.shape) add(box.kind === "leaf" ? "value" : "result", `${shapeText(box.shape)} ${box.dtype ?? ""}`, ...(box.value ? [make("br"), make("code", {}, valueText(box.value))] : []));
    if (box.kind !== "leaf" && box.name) add("recorded as", make("code", {}, box.name));
    if (box.incoming) {
      const { value, norm } = box.incoming;
      add(box.kind === "leaf" ? "vᵀ·J" : "covector in", ...(value ? [make("code", {}, valueText(value)), " "] : []), `norm ${numberText(norm)}`);
    }
    const into = boxes.edges.filter((edge) => edge.to === box.key && edge.source !== undefined);
    if (into.length > 1) this.tellArrows(`${into.length} paths meet`, into, "from", boxes, add);
    const out = boxes.edges.filter((edge) => edge.from === box.key);
    if (out.length) this.tellArrows("sends", out, "to", boxes, add);
    for (const saved of box.saved ?? []) {
      const figures = [saved.value, saved.shape && shapeText(saved.shape), saved.norm !== null && saved.norm !== undefined && `norm ${numberText(saved.norm)}`];
      add(`saved ${saved.name}`, figures.filter(Boolean).join(", "));
    }
  }

  tellArrows(name, edges, end, boxes, add) {
    const items = edges.slice(0, MOST_ARROWS).map((edge) => make("li", {},
      make("code", {}, arrowText([edge])), ` ${end} ${boxTitle(boxes.all.get(edge[end]), boxes)}`));
    if (edges.length > MOST_ARROWS) items.push(make("li", {}, `… and ${edges.length - MOST_ARROWS} more`));
    add(name, make("ul", {}, ...items));
  }
}

/** The steps of a recurrent layer, or the weights of attention, in a row: the darker, the larger in its row. */
function insideTable({ title, across, count, columns, rows }) {
  const heading = columns.map((column, k) => make("th", { scope: "col" }, `${k > 0 && column - columns[k - 1] > 1 ? "… " : ""}${column}`));
  const body = rows.map(([name, values]) => {
    const numbers = values.map(toNumber);
    const largest = Math.max(...numbers.map(Math.abs).filter(Number.isFinite), 0);
    return make("tr", {}, make("th", { scope: "row" }, name), ...numbers.map((x) => {
      const cell = make("td", { class: `number cell ${Number.isFinite(x) ? (x < 0 ? "cold" : "warm") : "bad"}`, title: `${name}: ${numberText(x)}` }, shortNumber(x));
      cell.style.setProperty("--heat", largest > 0 && Number.isFinite(x) ? Math.abs(x) / largest : 0);
      return cell;
    }));
  });
  return make("div", { class: "inside" }, make("p", { class: "small" }, title),
    make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title },
      make("table", { class: "cells" },
        make("thead", {}, make("tr", {}, make("th", { scope: "col" }, `${across} ×${count}`), ...heading)),
        make("tbody", {}, ...body))));
}

function boxTitle(box, boxes) {
  if (box.kind === "covector") return `${box.name}, the covector of ${box.output.name}`;
  if (box.kind === "leaf") return `${box.variable ?? box.name}, a leaf`;
  return boxes ? boxes.title(box.key) : box.variable ? `${box.variable}, by ${opName(box)}` : opName(box);
}
