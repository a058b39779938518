// The equation vᵀ·J of each leaf, with an entry field for every element of v. The first numbers are those of
// the run; after an edit they are worked out here, in double precision, from the J of the explanation.

const MOST_ROWS = 40;
const MOST_COLUMNS = 16;
const MOST_ZEROS = 1000;

/** The numbers of one explanation's equations: v as edited, and what follows from it. */
class Covectors {
  constructor(explanation) {
    this.outputs = explanation.outputs;
    this.given = this.outputs.map((output) => elementsOf(output.covector.value));
    this.values = this.given.map((elements) => elements && [...elements]);
    this.listeners = [];
  }

  get edited() {
    return this.values.some((elements, k) => elements && elements.some((x, i) => !Object.is(x, this.given[k][i])));
  }

  set(output, place, number) {
    this.values[output][place] = number;
    this.tell();
  }

  /** v = 1 at one place (everywhere, where place is null) and 0 elsewhere. */
  pick(output, place) {
    this.values = this.values.map((elements, k) =>
      elements && elements.map((_, i) => (place === null || (k === output && i === place) ? 1 : 0)));
    this.tell();
  }

  reset() {
    this.values = this.given.map((elements) => elements && [...elements]);
    this.tell();
  }

  tell() {
    for (const listener of this.listeners) listener();
  }
}

/** The Jacobians of one leaf, one per output; none where the call was explained in brief. */
function jacobiansOf(leaf) {
  return leaf.jacobians ?? (leaf.jacobian ? [leaf.jacobian] : []);
}

/** J of one leaf by all outputs as one matrix, a row for each element of v; null where it is not there. */
function rowsOf(leaf, covectors) {
  const parts = jacobiansOf(leaf);
  if (!leaf.gradient || !parts.length || parts.length !== covectors.outputs.length) return null;
  const width = sizeOf(leaf.shape);
  const rows = [];
  for (const [k, output] of covectors.outputs.entries()) {
    const { value, shape: full, structure } = parts[k];
    const nothing = !value && structure === "zero" && sizeOf(full) <= MOST_ZEROS;
    const jacobian = nothing ? new Array(sizeOf(full)).fill(0) : elementsOf(value);
    const v = covectors.given[k];
    if (jacobian === null || v === null) return null;
    const height = sizeOf(output.shape);
    const shape = output.covector.value.shape;
    for (let place = 0; place < v.length; place++) {
      const row = place % height; // the leading axes of a batch of covectors repeat J
      rows.push({
        output: k, place,
        name: output.name + indexText(indexAt(row, output.shape)),
        covector: `v${covectors.outputs.length > 1 ? k : ""}${indexText(indexAt(place, shape))}`,
        entries: jacobian.slice(row * width, (row + 1) * width),
      });
    }
  }
  return rows;
}

/** vᵀ·J: what each row brings, and the sums up to each row. */
function contributions(rows, covectors, width) {
  const running = new Array(width).fill(0);
  return rows.map((row) => {
    const v = covectors.values[row.output][row.place];
    const product = row.entries.map((entry) => v * entry);
    product.forEach((x, k) => { running[k] += x; });
    return { product, running: [...running] };
  });
}

/** Places to show of a long axis; null stands for those left out. */
function shownPlaces(length, most) {
  const all = [...Array(length).keys()];
  if (length <= most) return all;
  const tail = Math.floor(most / 4);
  return [...all.slice(0, most - tail), null, ...all.slice(length - tail)];
}

class Equation {
  constructor(leaf, covectors) {
    this.leaf = leaf;
    this.covectors = covectors;
    this.rows = rowsOf(leaf, covectors);
    this.body = make("div", { class: "equation" });
    if (this.rows) this.buildTable();
    else this.buildSummary();
    this.buildGradient();
    if (this.rows) {
      covectors.listeners.push(() => this.update());
      this.update();
    }
  }

  /** Where J is not in the page: its structure, the reason, and the figures of vᵀ·J. */
  buildSummary() {
    const { leaf } = this;
    for (const jacobian of jacobiansOf(leaf)) {
      const { title, shape, structure, why_absent: reason } = jacobian;
      const absent = reason ? `${structure === "zero" ? ":" : "; not built:"} ${reason}` : "";
      this.body.append(make("p", {}, make("b", {}, `J = ${title}`), ` is ${shapeText(shape)}, ${structure}${absent}`));
      if (jacobian.value) this.body.append(make("p", {}, make("code", {}, valueText(jacobian.value))));
    }
    if (leaf.gradient) {
      this.body.append(make("p", {}, make("b", {}, "vᵀ·J"), " = ", make("code", {}, valueText(leaf.gradient))));
    } else {
      this.body.append(make("p", {}, `No covector arrives at ${leaf.name}: its .grad stays as it was.`));
    }
  }

  buildTable() {
    const { leaf, rows } = this;
    const width = sizeOf(leaf.shape);
    this.columns = shownPlaces(width, MOST_COLUMNS);
    this.places = shownPlaces(rows.length, MOST_ROWS);
    const largest = Math.max(...rows.flatMap((row) => row.entries.map(Math.abs).filter(Number.isFinite)), 0);
    this.productCells = new Map();
    this.totalCells = new Map();
    this.inputs = new Map();

    const title = jacobiansOf(leaf).map((j) => j.title).join(" over ");
    const heading = make("tr", {},
      make("td"), make("th", { scope: "col" }, "v"), make("td"),
      make("th", { scope: "colgroup", colspan: this.columns.length, class: "matrix-title" }, `J = ${title}`), make("td"),
      make("th", { scope: "col", class: "product" }, "v[i]·J[i]"),
      make("th", { scope: "col", class: "product" }, "so far"));
    const names = make("tr", { class: "names" }, make("td"), make("td"), make("td"),
      ...this.columns.map((k) => make("th", { scope: "col" },
        k === null ? "…" : `${leaf.name.length < 8 || !leaf.shape.length ? leaf.name : ""}${indexText(indexAt(k, leaf.shape))}`)),
      make("td"), make("td"), make("td"));
    const body = make("tbody", {}, ...this.places.map((place) => this.buildRow(place, largest)));
    const total = make("tr", {}, make("td"), make("th", { scope: "row" }, "vᵀ·J"), make("td", {}, "="),
      ...this.columns.map((k) => {
        const cell = make("td", { class: "number" }, k === null ? "…" : "");
        if (k !== null) this.totalCells.set(k, cell);
        return cell;
      }), make("td"), make("td"), make("td"));
    const table = make("table", { class: "covector-table" },
      make("caption", {}, `The product of v and J for ${leaf.name}`),
      make("thead", {}, heading, names), body, make("tfoot", {}, total));
    this.body.append(make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Equation for ${leaf.name}` }, table));
  }

  buildRow(place, largest) {
    if (place === null) {
      const hidden = this.rows.length - this.places.length + 1;
      return make("tr", { class: "left-out" }, make("td", { colspan: this.columns.length + 6 }, `… ${hidden} more rows …`));
    }
    const row = this.rows[place];
    const only = make("button", {
      type: "button", class: "only", title: `Set v to 1 here and 0 elsewhere: vᵀ·J becomes this row of J`,
      onclick: () => this.covectors.pick(row.output, row.place),
    }, row.name);
    const input = make("input", {
      type: "text", inputmode: "decimal", autocomplete: "off", spellcheck: "false",
      "aria-label": `${row.covector}, the weight of ${row.name}`,
      "data-output": row.output, "data-place": row.place,
      oninput: () => this.edit(input, row),
      onblur: () => this.showInput(input, row),
    });
    this.inputs.set(place, input);
    const cells = this.columns.map((k) => {
      if (k === null) return make("td", { class: "number" }, "…");
      const entry = row.entries[k];
      const cell = make("td", { class: entry === 0 ? "number zero" : "number", title: String(entry) }, numberText(entry));
      cell.style.setProperty("--heat", largest > 0 && Number.isFinite(entry) ? Math.abs(entry) / largest : 0);
      return cell;
    });
    const product = make("td", { class: "product number" });
    const running = make("td", { class: "product number" });
    this.productCells.set(place, [product, running]);
    cells[0].classList.add("first");
    cells[cells.length - 1].classList.add("last");
    return make("tr", {}, make("th", { scope: "row" }, only), make("td", {}, input), make("td", {}, "·"), ...cells,
      make("td", {}, "="), product, running);
  }

  edit(input, row) {
    const text = input.value.trim().replace("−", "-");
    const number = Number(text);
    const good = text !== "" && !Number.isNaN(number);
    input.setAttribute("aria-invalid", String(!good));
    if (good) this.covectors.set(row.output, row.place, number);
  }

  showInput(input, row) {
    input.value = numberText(this.covectors.values[row.output][row.place]).replace(/−/g, "-");
    input.setAttribute("aria-invalid", "false");
  }

  /** What was in .grad, what arrives, what is there afterwards. */
  buildGradient() {
    const { leaf } = this;
    if (!leaf.gradient) return;
    this.gradient = make("code", { class: "gradient" }, valueText(leaf.gradient));
    this.after = make("code", { class: "after" }, valueText(leaf.after));
    const line = make("p", { class: "accumulated" });
    if (!leaf.after) line.append("returned: ", this.gradient);
    else if (leaf.before) {
      line.append(`${leaf.name}.grad was `, make("code", {}, valueText(leaf.before)), "; ", this.gradient,
        " is added, and it becomes ", this.after);
    } else line.append(`${leaf.name}.grad was None and becomes `, this.after);
    this.body.append(line);
    if (leaf.check) this.body.append(make("p", { class: leaf.check.agrees ? "check" : "check wrong" }, ...checkText(leaf)));
    else if (leaf.why_unchecked) {
      this.body.append(make("p", { class: "check" }, `J was not compared with central differences: ${leaf.why_unchecked}`));
    }
  }

  update() {
    const { leaf, rows, covectors } = this;
    const width = sizeOf(leaf.shape);
    const parts = contributions(rows, covectors, width);
    for (const [place, [product, running]] of this.productCells) {
      product.textContent = shapedText(parts[place].product, leaf.shape, 4);
      running.textContent = shapedText(parts[place].running, leaf.shape, 4);
    }
    const ofRun = elementsOf(leaf.gradient);
    const computed = parts.length ? parts[parts.length - 1].running : new Array(width).fill(0);
    const total = covectors.edited || ofRun === null ? computed : ofRun;
    for (const [k, cell] of this.totalCells) {
      cell.textContent = numberText(total[k]);
      cell.title = String(total[k]);
    }
    for (const [place, input] of this.inputs) {
      if (input !== document.activeElement) this.showInput(input, rows[place]);
    }
    this.gradient.textContent = shapedText(total, leaf.shape);
    if (!leaf.after) return;
    const before = leaf.before && elementsOf(leaf.before);
    if (!covectors.edited) this.after.textContent = valueText(leaf.after);
    else this.after.textContent = shapedText(total.map((x, k) => x + (before ? before[k] : 0)), leaf.shape);
  }
}

/** Whether J agrees with differences, and what is left between them. */
function checkText({ name, check }) {
  const largest = `largest difference ${numberText(check.largest_error)}`;
  const known = check.relative_error !== undefined && check.relative_error !== null;
  const error = known ? `relative error ${shortNumber(check.relative_error)}, ${largest}` : largest;
  const verdict = check.agrees ? `✓ J agrees with ${check.method}; ${error}.` : `✗ J of ${name} differs from ${check.method}: ${error}.`;
  return [verdict, check.remark ? ` ${check.remark}` : ""];
}
