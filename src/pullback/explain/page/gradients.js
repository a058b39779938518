// What arrived at the leaves: an overview of all of them, sorted, and each gradient as a picture in the shape of
// its weight.

const MOST_BARS = 24;
const MOST_HEATS = 8;
const MOST_NUMBERS = 40; // elements that are written as numbers
const MOST_ACROSS = 8;
const CELL = { least: 3, most: 18 };

/** The figures of one leaf: |grad|, |grad|/|w| and the share of zeros. */
function figuresOf(leaf) {
  const norm = normOfValue(leaf.gradient);
  const weight = normOfValue(leaf.value);
  const elements = elementsOf(leaf.gradient);
  const zeros = leaf.zeros ?? (elements ? elements.filter((x) => x === 0).length / Math.max(1, elements.length)
    : leaf.gradient.summary ? leaf.gradient.summary.zeros / sizeOf(leaf.shape) : NaN);
  return { leaf, norm, ratio: norm / weight, zeros };
}

const SORTS = {
  "in the order of the program": null,
  "by |grad|": (a, b) => b.norm - a.norm,
  "by |grad| / |w|": (a, b) => b.ratio - a.ratio,
  "by % zero": (a, b) => b.zeros - a.zeros,
};

/** All leaves with a bar for |grad| on a scale of logarithms. */
function overview({ leaves }, links) {
  const reached = leaves.filter((leaf) => leaf.gradient).map(figuresOf);
  const missed = leaves.filter((leaf) => !leaf.gradient);
  if (reached.length < 2) return null;
  const { low, high } = normRange(reached.map(({ norm }) => norm));
  const [from, to] = [Math.floor(low), Math.ceil(high)];
  const body = make("tbody");
  const more = make("button", { type: "button", onclick: () => { shown = Infinity; fill(); } });
  let shown = MOST_BARS;
  let order = "by |grad|";
  const fill = () => {
    const sort = SORTS[order];
    const sorted = sort ? [...reached].sort((a, b) => sort(a, b) || 0) : reached;
    body.replaceChildren(...sorted.slice(0, shown).map((figures) => bar(figures, from, to, links)));
    more.textContent = `${sorted.length - shown} more leaves`;
    more.hidden = sorted.length <= shown;
  };
  const choice = make("select", { "aria-label": "Sort the leaves", onchange: () => { order = choice.value; fill(); } },
    ...Object.keys(SORTS).map((name) => make("option", { value: name, selected: name === order }, name)));
  fill();
  const ticks = make("span", { class: "ticks" });
  const step = Math.max(1, Math.ceil((to - from) / 4));
  for (let power = from; power <= to; power += step) {
    const tick = make("span", {}, `1e${power}`.replace("-", "−"));
    tick.style.setProperty("--at", (power - from) / (to - from));
    ticks.append(tick);
  }
  return make("div", { class: "overview" },
    make("div", { class: "tools" }, choice),
    make("div", { class: "scroll" }, make("table", { class: "bars" },
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "leaf"),
        make("th", { scope: "col", class: "track", title: "The norm of the gradient, on a scale of logarithms" }, "|grad|", ticks),
        make("th", { scope: "col" }, ""), make("th", { scope: "col", title: "The norm of the gradient by that of the weight" }, "|grad|/|w|"),
        make("th", { scope: "col", title: "Elements of the gradient that are exactly 0" }, "% zero"))), body)), more,
    missed.length ? make("p", { class: "hint" }, `No gradient: ${missed.slice(0, 8).map((leaf) => leaf.name).join(", ")}${missed.length > 8 ? ` and ${missed.length - 8} more` : ""}.`) : null);
}

function bar({ leaf, norm, ratio, zeros }, from, to, links) {
  const finite = Number.isFinite(norm);
  const strip = make("span", { class: finite ? "strip" : "strip bad" });
  strip.style.setProperty("--share", !finite ? 1 : norm > 0 ? (Math.log10(norm) - from) / (to - from) : 0);
  const key = Links.key(leaf);
  return make("tr", { class: finite ? "" : "wrong", onmouseenter: () => links.point([key]), onmouseleave: () => links.point([]) },
    make("th", { scope: "row" }, leaf.name, " ", make("span", { class: "small" }, shapeText(leaf.shape))),
    make("td", { class: "track" }, strip), make("td", { class: "number" }, shortNumber(norm)),
    make("td", { class: "number", title: ratio === Infinity ? "the weight itself is 0" : null }, ratio === Infinity ? "w = 0" : shortNumber(ratio)),
    make("td", { class: zeros > 0.5 ? "number much" : "number" }, Number.isFinite(zeros) ? `${Math.round(100 * zeros)} %` : "–"));
}

/** A small gradient as numbers on colours, in the shape of its weight. */
function heatTable(leaf, elements, columns) {
  const largest = Math.max(...elements.map(Math.abs).filter(Number.isFinite), 0);
  const rows = [];
  for (let start = 0; start < elements.length; start += columns) {
    rows.push(make("tr", {}, ...elements.slice(start, start + columns).map((x, k) => {
      const cell = make("td", {
        class: `number cell ${Number.isFinite(x) ? (x > 0 ? "warm" : "cold") : "bad"}`,
        title: `${indexText(indexAt(start + k, leaf.shape))} ${x}`.trim(), "data-value": String(x),
      }, shortNumber(x));
      cell.style.setProperty("--heat", largest > 0 && Number.isFinite(x) ? Math.sqrt(Math.abs(x) / largest) : 0);
      return cell;
    })));
  }
  return make("figure", { class: "heat" },
    make("figcaption", {}, make("b", {}, leaf.name), ` ${shapeText(leaf.shape)} `, make("span", { class: "small" }, `|grad| ${shortNumber(normOfValue(leaf.gradient))}`)),
    make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `The gradient of ${leaf.name}` }, make("table", { class: "cells" }, make("tbody", {}, ...rows))));
}

/** One gradient as colours, in the shape of its weight. */
function heatMap(leaf) {
  const { cells, block, tile } = leaf.heat;
  const numbers = cells.map((row) => row.map(toNumber));
  const [rows, columns] = [numbers.length, numbers[0].length];
  const largest = Math.max(...numbers.flat().map(Math.abs).filter(Number.isFinite), 0);
  const cell = Math.max(CELL.least, Math.min(CELL.most, Math.floor(Math.min(560 / columns, 300 / rows))));
  const canvas = make("canvas", {
    width: columns * cell, height: rows * cell, role: "img",
    "aria-label": `The gradient of ${leaf.name} as ${rows} by ${columns} colours; the largest magnitude is ${numberText(largest)}`,
  });
  const paint = () => {
    const style = getComputedStyle(document.body);
    const [positive, negative, bad, paper] = ["--warm", "--cold", "--bad", "--paper"].map((name) => style.getPropertyValue(name));
    const context = canvas.getContext("2d");
    context.globalAlpha = 1;
    context.fillStyle = paper;
    context.fillRect(0, 0, canvas.width, canvas.height);
    numbers.forEach((row, i) => row.forEach((x, j) => {
      context.globalAlpha = Number.isFinite(x) ? (largest > 0 ? Math.sqrt(Math.abs(x) / largest) : 0) : 1;
      context.fillStyle = !Number.isFinite(x) ? bad : x > 0 ? positive : negative;
      context.fillRect(j * cell, i * cell, cell - (cell > 5 ? 1 : 0), cell - (cell > 5 ? 1 : 0));
    }));
    context.globalAlpha = 1;
    if (!tile) return;
    context.fillStyle = style.getPropertyValue("--ink");
    for (let i = tile[0]; i < rows; i += tile[0]) if (tile[0] > 1) context.fillRect(0, i * cell - 1, canvas.width, 1);
    for (let j = tile[1]; j < columns; j += tile[1]) if (tile[1] > 1) context.fillRect(j * cell - 1, 0, 1, canvas.height);
  };
  paint();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
  const reading = make("span", { class: "reading small" });
  canvas.addEventListener("mousemove", (event) => {
    const i = Math.min(rows - 1, Math.floor((event.offsetY / canvas.clientHeight) * rows));
    const j = Math.min(columns - 1, Math.floor((event.offsetX / canvas.clientWidth) * columns));
    if (i >= 0 && j >= 0) reading.textContent = `${placeInLeaf(leaf, i, j)} ${numberText(numbers[i][j])}`;
  });
  canvas.addEventListener("mouseleave", () => { reading.textContent = ""; });
  const ends = largest > 0 ? [make("span", {}, `−${shortNumber(largest)}`), make("span", { class: "ramp" }), make("span", {}, shortNumber(largest))]
    : [make("span", {}, numbers.flat().some(Number.isFinite) ? "0 where it is finite" : "not finite")];
  const shrunk = block[0] * block[1] > 1 ? `, the largest of each ${block[0]}×${block[1]} elements` : "";
  return make("figure", { class: "heat" },
    make("figcaption", {}, make("b", {}, leaf.name), ` ${shapeText(leaf.shape)} `, make("span", { class: "small" }, `|grad| ${shortNumber(normOfValue(leaf.gradient))}${shrunk}`)),
    canvas, make("div", { class: "scale" }, ...ends, reading));
}

/** Which element of a leaf a cell stands for. */
function placeInLeaf({ shape, heat: { block, tile } }, i, j) {
  if (block[0] * block[1] > 1) return `about [${i * block[0]}, ${j * block[1]}]:`;
  if (tile && shape.length === 4) return `[${Math.floor(i / tile[0])}, ${Math.floor(j / tile[1])}, ${i % tile[0]}, ${j % tile[1]}]:`;
  if (tile) return `[${i}, ${Math.floor(j / tile[1])}, ${j % tile[1]}]:`;
  return shape.length < 2 ? `[${j}]:` : `[${i}, ${j}]:`;
}

/** The gradients of a scalar: J is one row, so it is the gradient itself, and is drawn in the leaf's shape. */
function gradients(explanation) {
  const pictured = explanation.leaves.filter((leaf) => leaf.gradient && leaf.heat);
  const build = (leaf) => {
    const elements = elementsOf(leaf.gradient);
    const columns = leaf.heat.cells[0].length;
    const few = elements !== null && leaf.heat.tile === null && elements.length <= MOST_NUMBERS && columns <= MOST_ACROSS;
    const picture = few ? heatTable(leaf, elements, columns) : heatMap(leaf);
    return make("div", { class: "gradient-part" }, picture, ...accumulation(leaf));
  };
  const grid = make("div", { class: "heats" }, ...pictured.slice(0, MOST_HEATS).map(build));
  const rest = pictured.slice(MOST_HEATS);
  const more = make("button", { type: "button", onclick: () => { grid.append(...rest.map(build)); more.remove(); } }, `${rest.length} more`);
  const checked = pictured.filter((leaf) => leaf.check);
  const wrong = checked.filter((leaf) => !leaf.check.agrees);
  const verdict = checked.length && !wrong.length ? `✓ Checked with ${checked[0].check.method.split(/ along| in all/)[0]}: ${checked.length === pictured.length ? "all" : checked.length} agree.` : null;
  return [make("p", { class: "hint" }, "Red cells pull the weight down in a step of gradient descent, blue cells push it up; the paler, the smaller. Point at a cell to read it."),
    grid, ...(rest.length ? [more] : []), ...(verdict ? [make("p", { class: "check" }, verdict)] : []),
    ...wrong.map((leaf) => make("p", { class: "check wrong" }, ...checkText(leaf)))];
}

/** What was in .grad and is there now, where that is not the gradient alone. */
function accumulation(leaf) {
  if (!leaf.after) return [make("p", { class: "small" }, "returned, not added to .grad")];
  if (!leaf.before) return [];
  return [make("p", { class: "accumulated small" }, `.grad was of norm ${shortNumber(normOfValue(leaf.before))} already; with this added it is of norm `,
    make("b", { class: "after" }, shortNumber(normOfValue(leaf.after))))];
}
