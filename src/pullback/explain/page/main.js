// Puts the page together from the data in it.

const MOST_STEPS = 100;
const MOST_OPEN_LEAVES = 3;

/** The data as they stand in the page: JSON, or JSON compressed and in base 64. */
async function readData() {
  const element = document.getElementById("data");
  if (element.dataset.packed === undefined) return JSON.parse(element.textContent);
  const bytes = Uint8Array.from(atob(element.textContent), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

function section(title, ...children) {
  const id = `part-${title.replace(/\W+/g, "-").toLowerCase()}`;
  return make("section", { "aria-labelledby": id }, make("h2", { id }, title), ...children);
}

/** One sentence that says what happened. */
function summary({ call, outputs, leaves }) {
  const reached = leaves.filter((leaf) => leaf.gradient);
  const given = outputs.map(({ name, shape, covector }, k) => {
    const v = outputs.length > 1 ? `v${k}` : "v";
    if (covector.default) return `${name} has one element, so ${v} is 1`;
    if (covector.broadcast_from) return `${v} is a batch of covectors of shape ${shapeText(covector.value.shape)} for ${name}, which is ${shapeText(shape)}`;
    const size = sizeOf(shape);
    return size === 1 ? `${v} weighs the one element of ${name}` : `${v} weighs the ${size} elements of ${name}`;
  });
  const names = reached.slice(0, 4).map((leaf) => leaf.name).join(", ");
  const more = reached.length > 4 ? ` and ${reached.length - 4} more` : "";
  const arrival = reached.length
    ? `${outputs.length > 1 ? "They are" : "It is"} pulled back through the graph to ${names}${more}, where vᵀ·J ${call.kind === "grad" ? "is returned" : "is added to .grad"}.`
    : "It reaches no leaf.";
  return `${given.join("; ")}. ${arrival}`;
}

function equations(explanation, covectors) {
  const live = explanation.leaves.some((leaf) => rowsOf(leaf, covectors));
  const parts = [];
  if (live) {
    const reset = make("button", { type: "button", onclick: () => covectors.reset() }, "v as in the run");
    const stale = make("span", { class: "status", role: "status" });
    covectors.listeners.push(() => {
      reset.disabled = !covectors.edited;
      stale.textContent = covectors.edited ? "v is edited: the picture above still shows the run." : "";
    });
    reset.disabled = true;
    parts.push(make("p", { class: "hint" }, "Edit v and see what arrives. The button in front of a row sets v to 1 there and 0 elsewhere, so that vᵀ·J is that row of J."),
      make("div", { class: "tools" }, reset,
        make("button", { type: "button", onclick: () => covectors.pick(null, null) }, "v = 1 everywhere"), stale));
  }
  for (const [k, leaf] of explanation.leaves.entries()) {
    const content = make("div");
    const place = placeText(leaf);
    const heading = make("summary", {}, make("b", {}, leaf.name), ` ${shapeText(leaf.shape)} ${leaf.dtype}`, place ? make("span", { class: "small" }, ` ${place}`) : null);
    const box = make("details", { class: "leaf" }, heading, content);
    const build = () => { if (!content.firstChild) content.append(new Equation(leaf, covectors).body); };
    box.addEventListener("toggle", build);
    if (k < MOST_OPEN_LEAVES) {
      box.open = true;
      build();
    }
    parts.push(box);
  }
  return parts;
}

/** The path as a list, for reading without the picture. */
function steps({ graph }) {
  const body = make("tbody");
  const more = make("button", { type: "button" });
  const nodes = graph.nodes.filter((node) => node.kind !== "group");
  let count = 0;
  const grow = () => {
    for (const node of nodes.slice(count, count + MOST_STEPS)) {
      body.append(make("tr", {},
        make("td", {}, boxTitle(node)),
        make("td", {}, make("code", {}, clipped(node.code ?? "", 60))),
        make("td", {}, placeText(node)),
        make("td", { class: "number" }, node.incoming ? numberText(node.incoming.norm) : "")));
      count++;
    }
    const left = nodes.length - count;
    more.textContent = `${Math.min(left, MOST_STEPS)} more of ${left}`;
    more.hidden = left <= 0;
  };
  more.addEventListener("click", grow);
  const table = make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "The steps" }, make("table", { class: "steps" },
    make("thead", {}, make("tr", {}, ...["step", "line", "place", "|g| in"].map((name) => make("th", { scope: "col" }, name)))), body));
  const box = make("details", { class: "steps" }, make("summary", {}, `All ${nodes.length} steps as a list`), table, more);
  box.addEventListener("toggle", () => { if (count === 0) grow(); });
  return box;
}

function path(explanation, sources, links) {
  const details = new Details();
  const picture = new Picture(explanation, details, links);
  const source = new Source(sources, explanation, links);
  requestAnimationFrame(() => source.show(Links.key(explanation.call), false));
  return section("The path of the covector",
    make("div", { class: "split" }, picture.body, make("div", { class: "beside" }, source.body, details.body)), steps(explanation));
}

/** The gradients of a scalar as pictures, the product of v and J otherwise. */
function arrivals(explanation, links) {
  const parts = [];
  const all = overview(explanation, links);
  if (all) parts.push(section("All leaves", all));
  if (explanation.leaves.some((leaf) => leaf.gradient && leaf.zeros !== undefined)) {
    parts.push(section("The gradients", ...gradients(explanation)));
  } else parts.push(section("The equation", ...equations(explanation, new Covectors(explanation))));
  return parts;
}

function view(explanation, sources, links) {
  const { call, notes } = explanation;
  const children = [
    make("header", {}, make("h1", {}, make("code", {}, call.code || call.kind)),
      make("p", { class: "place", title: call.file }, placeText(call)), make("p", {}, summary(explanation))),
    ...(explanation.tree.length ? [path(explanation, sources, links)] : []),
    ...arrivals(explanation, links),
  ];
  if (notes.length) children.push(section("Notes", make("ul", {}, ...notes.map((note) => make("li", {}, note)))));
  return children;
}

async function start() {
  const { calls, findings, sources, run } = await readData();
  const main = document.querySelector("main");
  const links = new Links();
  const show = (k) => {
    links.clear();
    main.replaceChildren(...view(calls[k], sources, links));
  };
  const course = curves(run, findings);
  const before = [findingsBox(findings, links, run), run && run.every ? course : null].filter(Boolean);
  if (course && !run.every) main.after(course); // it was not asked for
  if (calls.length > 1) {
    const choice = make("select", { id: "call", onchange: () => show(Number(choice.value)) },
      ...calls.map(({ call }, k) => make("option", { value: k }, clipped(`${k + 1}. ${placeText(call)}: ${call.code}`, 90))));
    before.push(make("nav", {}, make("label", { for: "call" }, `${calls.length} calls `), choice));
  }
  main.before(...before);
  if (calls.length) show(0);
  else main.append(make("p", {}, "No call of backward or autograd.grad was made."));
  document.documentElement.dataset.ready = "";
}

start();
