// Elements of the page. Whatever comes from the user's program becomes a text node or an attribute, never
// markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** An HTML element with attributes, listeners (onclick …) and children. */
function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function clipped(text, most) {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** The last part of a path, for both kinds of separators. */
function fileName(path) {
  if (/ipykernel_\d+/.test(path)) return "notebook cell";
  return path ? path.split(/[\\/]/).pop() : "";
}

function placeText(part) {
  return part.line ? `${fileName(part.file)}, line ${part.line}` : "";
}
