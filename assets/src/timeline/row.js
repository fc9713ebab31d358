import { DRAWN } from "./levels.js";
import { first, last } from "./spans.js";

/** Pixels of a column where spans are too many to be told apart: with three rectangles each there is one for a pixel. */
const COLUMN = 3;
/** Patterns of shorter ones are not seen. */
const SEEN = 6;
/** Idle threads are many and matter less: they are flat. */
const FLAT = 0.4;
const FULL = 0.995;
const WRITTEN = 26;

/**
 * Paints what a row was in. One rectangle for a span where there is room for it, else columns with shares.
 * @param {import("./brush.js").Brush} brush
 * @param {import("./levels.js").Levels} levels of the row
 * @param {{from: number, to: number}} window
 * @param {{left: number, width: number, top: number, height: number}} box
 * @returns {number} how many rectangles it took
 */
export function states(brush, levels, window, box) {
  const { from } = levels.row, first = last(from, window.from);
  const count = last(from, window.to) - first + 1;
  return count <= box.width ? spans(brush, levels, window, box, first, count) : columns(brush, levels, window, box);
}

function spans(brush, { row, group, length }, { from, to }, box, first, count) {
  const scale = box.width / (to - from);
  let drawn = 0;
  for (let at = first; at < first + count; at++) {
    const state = DRAWN[group[row.state[at]]];
    if (!state) continue;
    const begin = Math.max(from, row.from[at]), end = Math.min(to, at + 1 < row.from.length ? row.from[at + 1] : length);
    paint(brush, state, box.left + (begin - from) * scale, (end - begin) * scale, box, state === "cpu" || state === "stalled" ? 1 : FLAT);
    drawn++;
  }
  return drawn;
}

function paint(brush, state, x, width, { top, height }, share) {
  const tall = height * share;
  brush.rect(width < SEEN ? brush.colour(state) : brush.pattern(state), x, top + height - tall, Math.max(width, 0.5), tall);
}

/** Columns of one and the same state are one rectangle. */
function columns(brush, levels, window, box) {
  const count = Math.floor(box.width / COLUMN), sums = levels.over(window, count), each = (window.to - window.from) / count;
  const wide = box.width / count;
  let drawn = 0, run = 0;
  for (let at = 0; at < count; at = run) {
    const pure = alone(sums, at, each);
    run = at + 1;
    if (pure < 0) drawn += column(brush, sums, at, each, box, wide);
    else {
      while (run < count && alone(sums, run, each) === pure) run++;
      paint(brush, DRAWN[pure], box.left + at * wide, (run - at) * wide, box, pure < 2 ? 1 : FLAT);
      drawn++;
    }
  }
  return drawn;
}

/** @returns {number} the only state of a column, -1 where there are several or none */
function alone(sums, column, each) {
  for (let own = 0; own < DRAWN.length; own++) if (sums[column * DRAWN.length + own] >= each * FULL) return own;
  return -1;
}

/** Ran, on it what waited; behind both what it was idle for longest. */
function column(brush, sums, at, each, box, wide) {
  const [ran, waited, ...idle] = sums.subarray(at * DRAWN.length, (at + 1) * DRAWN.length);
  const x = box.left + at * wide, most = Math.max(...idle);
  let drawn = 0, top = box.top + box.height;
  const stacked = (style, share) => {
    brush.rect(style, x, (top -= share * box.height), wide, share * box.height);
    drawn++;
  };
  if (most > 0) brush.rect(brush.colour(DRAWN[2 + idle.indexOf(most)]), x, top - FLAT * box.height, wide, FLAT * box.height), drawn++;
  if (ran > 0) stacked(brush.colour("cpu"), Math.min(1, ran / each));
  if (waited > 0) stacked(brush.colour("stalled"), Math.min(1, waited / each));
  return drawn;
}

/**
 * Writes who held above each span of holders that is wide enough.
 * @param {(span: number) => string} name
 */
export function holders(brush, row, { from, to }, box, name) {
  const scale = box.width / (to - from), begun = last(row.from, from);
  if (last(row.from, to) - begun > box.width) return;
  for (let at = begun; at < row.from.length && row.from[at] < to; at++) {
    const begin = Math.max(from, row.from[at]), width = (Math.min(to, row.from[at + 1] ?? to) - begin) * scale;
    if (row.by[at] && width > WRITTEN) brush.text(name(at), box.left + (begin - from) * scale + 2, box.top + box.height - 4, width - 4);
  }
}

/**
 * Paints a row's units with their names; where they are narrower than a pixel, one for each pixel.
 * @returns {number} how many rectangles it took
 */
export function units(brush, row, window, box) {
  const scale = box.width / (window.to - window.from);
  let drawn = 0, covered = -Infinity;
  for (let at = first(row.reach, window.from); at < row.units.length && row.units[at].from < window.to; at++) {
    const unit = row.units[at];
    if (unit.to <= window.from) continue;
    const x = box.left + Math.max(0, unit.from - window.from) * scale, end = box.left + Math.min(box.width, (unit.to - window.from) * scale);
    if (end - covered < 1) continue;
    covered = Math.max(covered, end);
    drawn += unitAt(brush, unit, x, Math.max(1, end - x), box);
  }
  return drawn;
}

function unitAt(brush, unit, x, width, { top, height }) {
  brush.rect(brush.colour("line"), x, top, Math.max(1, width - 1), height - 1);
  if (width > WRITTEN) brush.text(`${unit.name} #${unit.id}`, x + 3, top + height - 4, width - 6);
  return 1;
}
