import { beside, meets } from "./labels.js";
import { colour } from "./theme.js";

/** Pixels that a label takes. */
const ROOM = 18;
/** Above a plot, free of lines and axes: labels of moments of change. */
export const BAND = 18;
/** Height of a chart from which on there is room in it. */
export const LOW = 100;
/** Half of what a flag without a label takes, and what is between it and its label. */
const FLAG = 7;
/** Between a label in the band and the mark after it. */
const GAP = 10;

/**
 * What a chart shows besides its lines: limits, moments of change, points that were measured.
 * @param {import("./plot.js").Chart} chart
 * @returns {import("uplot").Plugin}
 */
export function overlays(chart) {
  return { hooks: { draw: [(plot) => draw(plot, chart)] } };
}

function draw(plot, chart) {
  const { ctx: context } = plot;
  context.save();
  context.beginPath();
  context.rect(plot.bbox.left, plot.bbox.top, plot.bbox.width, plot.bbox.height);
  context.clip();
  Object.assign(context, LETTERS());
  for (const limit of chart.limits ?? []) across(plot, limit);
  for (const mark of chart.marks ?? []) down(plot, mark);
  context.restore();
  context.save();
  Object.assign(context, LETTERS(), { fillStyle: colour("warn") });
  for (const limit of chart.limits ?? []) named(plot, limit, chart);
  context.restore();
  context.save();
  Object.assign(context, LETTERS());
  flags(
    plot,
    (chart.marks ?? []).filter((mark) => mark.label),
  );
  context.restore();
  context.save();
  Object.assign(context, LETTERS());
  (chart.points ?? []).forEach((point, at) => dot(plot, point, at % 2 === 1));
  context.restore();
}

const LETTERS = () => ({
  textAlign: "left",
  textBaseline: "alphabetic",
  font: `${12 * ratio()}px system-ui, sans-serif`,
});

const ratio = () => window.devicePixelRatio || 1;

function across(plot, { at }) {
  const y = plot.valToPos(at, "y", true);
  const { left, width } = plot.bbox;
  rule(plot.ctx, [left, y, left + width, y], "warn");
}

/** A low chart has no room below its limit but what is drawn there. */
function named(plot, { at, label }, { height }) {
  const y = plot.valToPos(at, "y", true);
  const { left, top } = plot.bbox;
  const below = !(height < LOW) && y - top < ROOM * ratio();
  write(plot.ctx, label, left + 4 * ratio(), y + (below ? 14 : -4) * ratio());
}

function down(plot, { at }) {
  const x = plot.valToPos(at, "x", true);
  const { top, height } = plot.bbox;
  rule(plot.ctx, [x, top, x, top + height], "quiet");
}

/** In the band: a triangle for each mark, and as much of its label as there is room for until the next. */
function flags(plot, marks) {
  const { left, top, width } = plot.bbox;
  const { ctx: context } = plot;
  const edge = left + width;
  const known = marks
    .map((mark) => ({ ...mark, x: plot.valToPos(mark.at, "x", true) }))
    .filter(({ x }) => x >= left && x <= edge);
  const y = top - 5 * ratio();
  context.fillStyle = colour("quiet");
  for (const { x } of known) context.fill(placed("M-4-7h8l-4 7z", x, y));
  plot.flags = known
    .sort((one, other) => one.x - other.x)
    .map(({ x, label, ...mark }, index) => {
      const after = (known[index + 1]?.x ?? edge) - x - GAP * ratio();
      // At the right edge, the first label has its room at the left.
      const before = index === 0 ? x - left - GAP * ratio() : 0;
      const leftwards = before > after;
      context.textAlign = leftwards ? "right" : "left";
      const text = fitting(context, label, Math.max(before, after) - 8 * ratio());
      const written = text.length > 1;
      if (written) context.fillText(text, x + (leftwards ? -7 : 7) * ratio(), y);
      const long = written ? context.measureText(text).width / ratio() + FLAG : FLAG;
      const centre = (x - left) / ratio();
      const [from, to] = leftwards ? [centre - long, centre + FLAG] : [centre - FLAG, centre + long];
      return { mark: { ...mark, label }, from, to };
    });
}

/**
 * @param {import("uplot")} plot
 * @param {number} x pixels from the left edge of what is drawn
 * @returns {{at: number, label: string, page?: string} | undefined} the mark whose flag or label is there
 */
export const flagged = (plot, x) => plot.flags?.find(({ from, to }) => x >= from && x <= to)?.mark;

/** As much of a text as there is room for: its beginning says most. */
function fitting(context, text, room) {
  let end = text.length;
  while (end > 0 && context.measureText(shortened(text, end)).width > room) end -= 1;
  return shortened(text, end);
}

const shortened = (text, end) => (end < text.length ? `${text.slice(0, end)}…` : text);

/** Where the flags and the labels of marks are, in pixels of the canvas. */
const taken = ({ bbox: { left, top }, flags: found = [] }) =>
  found.map(({ from, to }) => ({ left: left + from * ratio(), right: left + to * ratio(), bottom: top }));

/** A dot with its name above or below, or a cross. The band is the marks' first. */
function dot(plot, { x, y, label }, below) {
  const [left, top] = [plot.valToPos(x, "x", true), plot.valToPos(y, "y", true)];
  const { ctx: context } = plot;
  context.fillStyle = context.strokeStyle = colour(label ? "ink" : "warn");
  context.lineWidth = 2 * ratio();
  const path = label ? `M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0` : "M-4-4l8 8M-4 4l8-8";
  const at = placed(path, left, top);
  label ? context.fill(at) : context.stroke(at);
  if (!label) return;
  const bottom = plot.bbox.top + plot.bbox.height;
  const edges = { left: plot.bbox.left, right: context.canvas.width, bottom };
  const text = fitting(context, label, edges.right - edges.left);
  const { width: wide } = context.measureText(text);
  const away = (upper) =>
    beside({ x: left, y: top }, wide, { ...edges, top: upper }, { below, ratio: ratio() });
  const place = meets(away(0), wide, taken(plot), ratio()) ? away(plot.bbox.top) : away(0);
  context.textAlign = place.align;
  write(context, text, place.x, place.y);
}

/** A shape in pixels of a page, at a place of the canvas. */
function placed(path, x, y) {
  const shape = new Path2D();
  shape.addPath(new Path2D(path), new DOMMatrix([ratio(), 0, 0, ratio(), x, y]));
  return shape;
}

function rule(context, [fromX, fromY, toX, toY], name) {
  context.strokeStyle = context.fillStyle = colour(name);
  context.lineWidth = ratio();
  context.setLineDash([5 * ratio(), 4 * ratio()]);
  context.beginPath();
  context.moveTo(fromX, fromY);
  context.lineTo(toX, toY);
  context.stroke();
  context.setLineDash([]);
}

/** Legible over whatever is drawn there. */
function write(context, text, x, y) {
  context.save();
  Object.assign(context, { strokeStyle: colour("paper"), lineWidth: 4 * ratio(), lineJoin: "round" });
  context.strokeText(text, x, y);
  context.restore();
  context.fillText(text, x, y);
}
