// The program's lines beside the picture, each with the norm of the covector that came to it.

class Source {
  constructor(sources, explanation, links) {
    this.links = links;
    this.lines = new Map();
    const norms = lineNorms(explanation);
    const { low, high } = normRange([...norms.values()].map(({ norm }) => norm));
    const file = explanation.call.file;
    const known = sources.filter((source) => source.file === file || source.lines.some(([number]) => norms.has(`${source.file}:${number}`)));
    known.sort((a, b) => (a.file === file ? -1 : 0) - (b.file === file ? -1 : 0));
    this.body = make("div", { class: "program", "aria-label": "The program, with the norm of the covector at each line" });
    for (const source of known) this.addFile(source, explanation, norms, low, high);
    if (!known.length) this.body.append(make("p", { class: "hint" }, "The lines of the program are not known."));
    links.onPoint((lit) => { for (const [key, row] of this.lines) row.classList.toggle("lit", lit.has(key)); });
    links.onChoose(this, (key) => this.show(key));
  }

  addFile({ file, lines }, { call }, norms, low, high) {
    const rows = [];
    let last = 0;
    for (const [number, text] of lines) {
      if (number > last + 1 && last) rows.push(make("div", { class: "gap" }, "⋮"));
      last = number;
      const key = `${file}:${number}`;
      const found = norms.get(key);
      const isCall = file === call.file && number === call.line;
      const row = make("div", {
        class: `line${found ? " live" : ""}${isCall ? " call" : ""}`,
        ...(found ? {
          tabindex: 0, role: "button", title: found.says,
          "aria-label": `line ${number}: ${text.trim()}; covector of norm ${numberText(found.norm)}`,
          onclick: () => this.links.choose(key, this), onmouseenter: () => this.links.point([key]), onmouseleave: () => this.links.point([]),
          onfocus: () => this.links.point([key]), onblur: () => this.links.point([]),
          onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { this.links.choose(key, this); event.preventDefault(); } },
        } : {}),
      }, make("span", { class: "line-number" }, String(number)), make("span", { class: "line-code" }, text || " "),
        make("span", { class: "line-norm" }, found ? `|g| ${shortNumber(found.norm)}${found.spoils ? ` → ${found.spoils}` : ""}` : ""));
      if (found) {
        row.classList.add(found.spoils ? "bad" : flowClass(found.norm, low, high));
        row.style.setProperty("--share", flowShare(found.norm, low, high));
      }
      this.lines.set(key, row);
      rows.push(row);
    }
    const name = make("div", { class: "file-name", title: file }, fileName(file));
    this.body.append(name, make("div", { class: "lines" }, ...rows));
  }

  /** Bring a line into sight, and mark it where it is chosen. */
  show(key, chosen = true) {
    const row = this.lines.get(key);
    if (!row) return;
    if (chosen) for (const other of this.lines.values()) other.classList.toggle("chosen", other === row);
    this.body.scrollTop = row.offsetTop - this.body.clientHeight / 2;
  }
}

/** For each line the covector that comes to what the line made: of several the first on the way back. `spoils` has
 *  what a line sends on that was finite when it came. */
function lineNorms({ graph, leaves }) {
  const found = new Map();
  const ofStep = new Map();
  for (const node of graph.nodes) {
    const key = Links.key(node);
    if (!key || node.kind === "leaf" || !node.incoming) continue;
    if (!found.has(key)) found.set(key, { norm: node.incoming.norm, says: node.says ?? "", spoils: null });
    if (Number.isFinite(toNumber(node.incoming.norm))) ofStep.set(node.id, found.get(key));
  }
  for (const { source, norm } of graph.edges) {
    const line = ofStep.get(source);
    if (line && !Number.isFinite(toNumber(norm))) line.spoils = String(norm);
  }
  for (const leaf of leaves) {
    const key = Links.key(leaf);
    if (key && leaf.gradient && !found.has(key)) found.set(key, { norm: normOfValue(leaf.gradient), says: `${leaf.name}, a leaf`, spoils: null });
  }
  return found;
}
