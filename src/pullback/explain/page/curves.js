// A training run: the loss, and for each layer the gradient, the update and the dead units, over the steps; the
// findings stand on the axis of steps where they were first seen.

const PLOT = { width: 560, height: 190, left: 52, right: 12, top: 10, bottom: 24 };
const MOST_SERIES = 8;
const FEWEST_STEPS = 5;

/** Curves over steps, as an SVG: `series` is [{name, points: [[step, value]]}]. */
function plot({ title, hint, series, logarithmic, steps, findings }) {
  const shown = ofInterest(series);
  const values = shown.flatMap(({ points }) => points.map(([, y]) => toNumber(y))).filter((y) => Number.isFinite(y) && (!logarithmic || y > 0));
  const scale = logarithmic ? Math.log10 : (y) => y;
  let [low, high] = values.length ? [Math.min(...values.map(scale)), Math.max(...values.map(scale))] : [0, 1];
  if (logarithmic) [low, high] = [Math.floor(low), Math.max(Math.ceil(high), Math.floor(low) + 1)];
  else if (low === high) [low, high] = [low - 0.5, high + 0.5];
  const inner = { width: PLOT.width - PLOT.left - PLOT.right, height: PLOT.height - PLOT.top - PLOT.bottom };
  const x = (step) => PLOT.left + (inner.width * (step - steps[0])) / Math.max(1, steps[1] - steps[0]);
  const y = (value) => PLOT.top + inner.height * (1 - (scale(value) - low) / (high - low));
  const svg = draw("svg", { viewBox: `0 0 ${PLOT.width} ${PLOT.height}`, role: "img", "aria-label": `${title} over ${steps[1] - steps[0] + 1} steps` });
  for (const mark of marks(low, high, logarithmic)) {
    const at = PLOT.top + inner.height * (1 - (mark - low) / (high - low));
    svg.append(draw("path", { class: "grid", d: `M${PLOT.left},${at} h${inner.width}` }),
      draw("text", { class: "tick", x: PLOT.left - 6, y: at + 4, "text-anchor": "end" }, logarithmic ? `1e${mark}`.replace("-", "−") : tickText(mark)));
  }
  for (const step of steps[0] === steps[1] ? [steps[0]] : steps) {
    svg.append(draw("text", { class: "tick", x: x(step), y: PLOT.height - 6, "text-anchor": step === steps[0] ? "start" : "end" }, `step ${step}`));
  }
  for (const [k, finding] of findings.entries()) {
    if (!finding.step) continue;
    svg.append(draw("g", { class: "event" }, draw("title", {}, `Finding ${k + 1}: ${finding.cause}`),
      draw("path", { d: `M${x(finding.step)},${PLOT.top} v${inner.height}` }),
      draw("circle", { cx: x(finding.step), cy: PLOT.top + 7, r: 7 }), draw("text", { x: x(finding.step), y: PLOT.top + 11, "text-anchor": "middle" }, String(k + 1))));
  }
  for (const [k, { name, points }] of shown.entries()) {
    const good = points.filter(([, value]) => Number.isFinite(toNumber(value)) && (!logarithmic || value > 0));
    const path = good.map(([step, value], place) => `${place ? "L" : "M"}${x(step).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
    svg.append(draw("path", { class: `curve series${k}`, d: path || "M0,0" }, draw("title", {}, name)));
    for (const [first, last, value] of gaps(points)) {
      svg.append(draw("g", { class: "not-finite" }, draw("title", {}, `${name} is ${value} from step ${first} to ${last}`),
        draw("path", { d: `M${x(first)},${PLOT.top + inner.height - 3 - 3 * k} H${Math.max(x(first) + 3, x(last))}` }),
        k ? "" : draw("text", { x: x(first) + 2, y: PLOT.top + inner.height - 8 - 3 * shown.length }, "NaN or infinite")));
    }
    if (good.length === 1) svg.append(draw("circle", { class: `dot series${k}`, cx: x(good[0][0]), cy: y(good[0][1]), r: 3 }));
  }
  const names = shown.length > 1 || series.length > 1
    ? make("p", { class: "legend" }, ...shown.map(({ name, points }, k) => make("span", { class: "key" }, make("span", { class: `swatch series${k}` }), `${name} `, make("span", { class: "small" }, points.length ? shortNumber(points[points.length - 1][1]) : ""))),
      series.length > shown.length ? make("span", { class: "small" }, `the ${shown.length} most different of ${series.length}`) : null)
    : null;
  return make("figure", { class: "plot" }, make("figcaption", { title: hint }, make("b", {}, title), " ", make("span", { class: "small" }, hint)), svg, names);
}

/** The series that are shown of many: the largest and the smallest at the end, in their own order. */
function ofInterest(series) {
  if (series.length <= MOST_SERIES) return series;
  const last = ({ points }) => (points.length ? toNumber(points[points.length - 1][1]) : 0);
  const sorted = [...series].sort((a, b) => last(a) - last(b));
  const kept = new Set([...sorted.slice(0, MOST_SERIES / 2), ...sorted.slice(-MOST_SERIES / 2)]);
  return series.filter((one) => kept.has(one));
}

/** A number beside an axis, in few characters. */
function tickText(mark) {
  const size = Math.abs(mark);
  return size >= 1e5 || (size > 0 && size < 1e-3) ? trimmed(mark.toExponential(1)).replace(/-/g, "−") : trimmed(mark.toPrecision(3)).replace(/-/g, "−");
}

/** The stretches of a curve that are not finite: first step, last step, and what is there. */
function gaps(points) {
  const found = [];
  let open = null;
  for (const [step, value] of points) {
    if (Number.isFinite(toNumber(value))) open = null;
    else if (open) open[1] = step;
    else found.push((open = [step, step, value]));
  }
  return found;
}

/** Whether positive values lie so far apart that only their logarithms can be seen together. */
function farApart(series) {
  const values = series.flatMap(({ points }) => points.map(([, y]) => toNumber(y))).filter(Number.isFinite);
  return values.length > 0 && Math.min(...values) > 0 && Math.max(...values) > 50 * Math.min(...values);
}

/** Places of the lines across a plot. */
function marks(low, high, logarithmic) {
  const step = logarithmic ? Math.max(1, Math.ceil((high - low) / 4)) : (high - low) / 4;
  return Array.from({ length: 5 }, (_, k) => low + k * step).filter((mark) => mark <= high + 1e-9);
}

function curves(run, findings) {
  if (!run || run.loss.length < FEWEST_STEPS) return null;
  const all = [run.loss, ...[run.gradients, run.updates, run.dead].flatMap((part) => part.map(({ points }) => points))].flat();
  const steps = [Math.min(...all.map(([step]) => step)), Math.max(...all.map(([step]) => step))];
  const common = { steps, findings: findings ?? [] };
  const losses = run.losses.length > 1 ? run.losses : [{ name: "loss", points: run.loss }];
  const plots = [
    { title: "loss", hint: "", series: losses, logarithmic: farApart(losses) },
    { title: "gradient", hint: "|grad| of each layer: far apart is vanishing or exploding", series: run.gradients, logarithmic: true },
    { title: "update", hint: "|update| / |weight|: about 1e−3 is usual; 1e−1 is wild, 1e−6 learns nothing", series: run.updates, logarithmic: true },
    { title: "dead units", hint: "% of a layer's units that gave 0 for the whole batch", series: run.dead, logarithmic: false },
  ].filter(({ series }) => series.some(({ points }) => points.length));
  return section(`The training run, ${run.steps} steps`, make("div", { class: "plots" }, ...plots.map((one) => plot({ ...one, ...common }))));
}
