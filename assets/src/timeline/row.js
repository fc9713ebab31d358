import { first, last } from "./spans.js";

/** Pixels that a span takes at least on average, to be drawn as a rectangle of its own. */
const ROOMY = 10;
/** Patterns of shorter ones are not seen. */
const SEEN = 6;
/** What a request or job waits for while it neither has nor wants the GVL matters less: it is flat. */
export const FLAT = 0.4;
const IDLE = ["io", "lock", "sleep"];
/** Pixels of the colour of its name that a unit begins with. */
const EDGE = 4;
const WRITTEN = 30;

/**
 * @param {import("./data.js").Row} row
 * @param {{from: number, to: number}} window
 * @param {number} width
 * @returns {boolean} whether its spans are too many to be seen singly
 */
export const dense = ({ from }, window, width) =>
  (last(from, window.to) - last(from, window.from) + 1) * ROOMY > width;

/**
 * Paints what a row was in, a rectangle for each span.
 * @param {import("./brush.js").Brush} brush
 * @param {import("./levels.js").Levels} levels of the row
 * @param {{from: number, to: number}} window
 * @param {{left: number, width: number, top: number, height: number}} box
 * @returns {number} how many rectangles it took
 */
export function states(brush, { row, kinds, of, length }, { from, to }, box) {
  const scale = box.width / (to - from);
  let drawn = 0;
  for (let at = last(row.from, from); at < row.from.length && row.from[at] < to; at++) {
    const state = kinds[of[at]];
    if (!state) continue;
    const begin = Math.max(from, row.from[at]);
    const end = Math.min(to, at + 1 < row.from.length ? row.from[at + 1] : length);
    paint(brush, state, box.left + (begin - from) * scale, (end - begin) * scale, box);
    drawn++;
  }
  return drawn;
}

function paint(brush, state, x, width, { top, height }) {
  const tall = height * (IDLE.includes(state) ? FLAT : 1);
  brush.rect(
    width < SEEN ? brush.colour(state) : brush.pattern(state),
    x,
    top + height - tall,
    Math.max(width, 0.5),
    tall,
  );
}

/**
 * Writes who held above each span of holders that is wide enough.
 * @param {(span: number) => string} name
 */
export function holders(brush, row, { from, to }, box, name) {
  const scale = box.width / (to - from);
  const begun = last(row.from, from);
  if (last(row.from, to) - begun > box.width) return;
  for (let at = begun, next; at < row.from.length && row.from[at] < to; at = next) {
    next = ended(row, at, scale);
    const begin = Math.max(from, row.from[at]);
    const width = (Math.min(to, row.from[next] ?? to) - begin) * scale;
    if (row.by[at] && width > WRITTEN)
      brush.text(name(at), box.left + (begin - from) * scale + 2, box.top + box.height - 4, width - 4);
  }
}

/** @returns {number} the span after those of the same holder, with gaps too small to see */
function ended(row, at, scale) {
  let next = at + 1;
  while (
    next + 1 < row.from.length &&
    row.by[next + 1] === row.by[at] &&
    row.unit[next + 1] === row.unit[at] &&
    (row.from[next + 1] - row.from[next]) * scale < 1
  )
    next += 2;
  return next;
}

/**
 * Paints a row's units with their names; where they are narrower than a pixel, one for each pixel.
 * @returns {number} how many rectangles it took
 */
export function units(brush, row, window, box) {
  const scale = box.width / (window.to - window.from);
  let drawn = 0;
  let covered = -Infinity;
  for (
    let at = first(row.reach, window.from);
    at < row.units.length && row.units[at].from < window.to;
    at++
  ) {
    const unit = row.units[at];
    if (unit.to <= window.from) continue;
    const x = box.left + Math.max(0, unit.from - window.from) * scale;
    const end = box.left + Math.min(box.width, (unit.to - window.from) * scale);
    if (end - covered < 1) continue;
    covered = Math.max(covered, end);
    drawn += unitAt(brush, unit, x, Math.max(1, end - x), box);
  }
  return drawn;
}

function unitAt(brush, unit, x, width, { top, height }) {
  brush.rect(brush.colour("line"), x, top, Math.max(1, width - 1), height - 1);
  if (width <= WRITTEN) return 1;
  brush.rect(brush.colour(unit.look), x, top, EDGE, height - 1);
  brush.text(`${unit.name} #${unit.id}`, x + EDGE + 3, top + height - 4, width - EDGE - 6);
  return 1;
}
