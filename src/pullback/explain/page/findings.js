// What is wrong in the program, first of all: the place, the cause, and what to change.

function findingsBox(findings, links, run) {
  if (!findings) return null;
  const title = findings.length === 0 ? "Nothing was found to be wrong"
    : findings.length === 1 ? "One thing was found" : `${findings.length} things were found, the gravest first`;
  const id = "part-findings";
  const items = findings.map((finding) => {
    const line = Links.key(finding);
    const place = line
      ? make("button", { type: "button", class: "place-link", title: "Show this line and its boxes", onclick: () => links.choose(line) }, placeText(finding))
      : null;
    const cause = finding.certain || finding.cause.startsWith("Probably") ? finding.cause : `Probably: ${finding.cause}`;
    return make("li", {
      class: finding.certain ? "finding" : "finding probable",
      onmouseenter: () => links.point([line]), onmouseleave: () => links.point([]),
    },
      make("p", {}, ...[place, finding.code ? make("code", { class: "source" }, finding.code) : null]),
      make("p", {}, ...marked(cause), finding.step && run && run.steps >= FEWEST_STEPS ? make("span", { class: "small" }, ` Seen first at step ${finding.step}.`) : null),
      finding.mend ? make("p", { class: "mend" }, make("b", {}, "Mend: "), ...marked(finding.mend), ".") : null,
      finding.checked ? make("p", { class: "small" }, "Checked: ", ...marked(finding.checked), ".") : null);
  });
  return make("section", { class: findings.length ? "findings" : "findings none", "aria-labelledby": id },
    make("h2", { id }, title), ...(items.length ? [make("ol", {}, ...items)] : []));
}

/** Words with what stands between backquotes as code. */
function marked(text) {
  return text.split("`").map((part, k) => (k % 2 ? make("code", {}, part) : part));
}
