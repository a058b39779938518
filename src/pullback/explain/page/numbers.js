// Values of an explanation as numbers and as text. A value is {shape, dtype, data} or, when it is large,
// {shape, dtype, summary, corner}; NaN and infinities are words, complex numbers are pairs.

const MOST_IN_TEXT = 64;
const WORDS = { nan: NaN, inf: Infinity, "-inf": -Infinity };

function toNumber(entry) {
  if (typeof entry === "boolean") return entry ? 1 : 0;
  return typeof entry === "string" ? WORDS[entry] : entry;
}

function isComplex(value) {
  return value.dtype.startsWith("complex");
}

/** How many elements a shape has. */
function sizeOf(shape) {
  return shape.reduce((product, length) => product * length, 1);
}

/** The entries of nested lists in C order; a complex entry stays a pair. */
function entriesOf(data, depth) {
  return depth === 0 ? [data] : data.flatMap((part) => entriesOf(part, depth - 1));
}

/** The elements of a real value in C order, null where the value is not there whole. */
function elementsOf(value) {
  if (!value || value.data === undefined || isComplex(value)) return null;
  return entriesOf(value.data, value.shape.length).map(toNumber);
}

/** The index of the element at a place in C order. */
function indexAt(place, shape) {
  const index = [];
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    index.unshift(place % shape[axis]);
    place = Math.floor(place / shape[axis]);
  }
  return index;
}

function indexText(index) {
  return index.length ? `[${index.join(",")}]` : "";
}

/** A shape as the mathematics writes it: 2×3, and "scalar" without axes. */
function shapeText(shape) {
  return shape.length ? shape.join("×") : "scalar";
}

/** A decimal number without the zeros at its end; those of an exponent stay. */
function trimmed(text) {
  const [digits, exponent] = text.split("e");
  const short = digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits;
  return exponent === undefined ? short : `${short}e${exponent.replace("+", "")}`;
}

/** A number in at most five digits, whole numbers whole. */
function numberText(entry) {
  if (Array.isArray(entry)) {
    const [re, im] = entry.map(toNumber);
    return `${numberText(re)}${im < 0 ? "−" : "+"}${numberText(Math.abs(im))}i`;
  }
  const x = toNumber(entry);
  if (Number.isNaN(x)) return "nan";
  if (!Number.isFinite(x)) return x > 0 ? "inf" : "−inf";
  const size = Math.abs(x);
  let text;
  if (Number.isInteger(x) && size < 1e7) text = String(x === 0 ? 0 : x);
  else if (size >= 1e5 && size < 1e6) text = String(Math.round(x));
  else if (size >= 1e6 || size < 1e-4) text = trimmed(x.toExponential(3));
  else text = trimmed(x.toPrecision(5));
  return text.replace(/-/g, "−");
}

/** A number in at most three digits, for boxes. */
function shortNumber(entry) {
  const x = toNumber(entry);
  if (!Number.isFinite(x) || Number.isInteger(x)) return numberText(x);
  const size = Math.abs(x);
  if (size < 1e-3 || size >= 1e5) return trimmed(x.toExponential(1)).replace(/-/g, "−");
  return trimmed(x.toPrecision(size >= 1000 ? 5 : 3)).replace(/-/g, "−");
}

/** The norm of a value, from its elements or its figures. */
function normOfValue(value) {
  const elements = elementsOf(value);
  if (elements !== null) return Math.hypot(...elements);
  return value.summary ? toNumber(value.summary.norm) : NaN;
}

/** Nested lists as text; the middle of long ones is left out. */
function listText(data, depth, most) {
  if (depth === 0) return numberText(data);
  const parts = data.map((part) => listText(part, depth - 1, most));
  if (parts.length > most) parts.splice(most - 1, parts.length - most, "…");
  return `[${parts.join(", ")}]`;
}

/** A value on one line: its elements, or its figures when it is large. */
function valueText(value, most = 8) {
  if (!value) return "none";
  const elements = elementsOf(value);
  if (elements !== null) return shapedText(elements, value.shape, most);
  if (value.data !== undefined) return listText(value.data, value.shape.length, most);
  return figuresText(value.shape, value.summary);
}

function figuresText(shape, { min, max, norm }) {
  return `${shapeText(shape)}, from ${numberText(min)} to ${numberText(max)}, norm ${numberText(norm)}`;
}

/** A list of numbers as a value of a shape, as text; of many their figures. */
function shapedText(elements, shape, most = 8) {
  if (elements.length > MOST_IN_TEXT) {
    return figuresText(shape, { min: Math.min(...elements), max: Math.max(...elements), norm: Math.hypot(...elements) });
  }
  const nest = (offset, axis) => {
    if (axis === shape.length) return elements[offset];
    const step = sizeOf(shape.slice(axis + 1));
    return Array.from({ length: shape[axis] }, (_, k) => nest(offset + k * step, axis + 1));
  };
  return listText(nest(0, 0), shape.length, most);
}
