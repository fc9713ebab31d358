import { last } from "./spans.js";

/**
 * How long a row was in which state, by steps that double: a picture of the whole capture reads no spans.
 * States are grouped as they are drawn.
 */
export const DRAWN = ["cpu", "stalled", "io", "lock", "sleep"];
const GROUPS = { running: 0, stalled: 1, preempted: 1, io: 2, lock: 3, sleep: 4, idle: 4 };
const SIZE = DRAWN.length;
const FINEST = 1 << 14;
/** Spans for each step; less would be no shorter than they are. */
const SPANS = 4;

/**
 * @param {string[]} states
 * @returns {Int8Array} number in DRAWN by number of the state, -1 for what is not drawn
 */
export const groups = (states) => Int8Array.from(states, (state) => GROUPS[state] ?? -1);

export class Levels {
  /**
   * @param {import("./data.js").Row} row
   * @param {Int8Array} group
   * @param {number} length of the capture
   */
  constructor(row, group, length) {
    Object.assign(this, { row, group, length, sums: [] });
    let count = 1;
    while (count < FINEST && count * SPANS <= row.from.length) count *= 2;
    this.sums.push(this.#spans(0, length, count, new Float32Array(count * SIZE)));
    for (; count > 1; count /= 2) this.sums.push(halved(this.sums.at(-1)));
  }

  /**
   * @param {{from: number, to: number}} window
   * @param {number} columns
   * @returns {Float32Array} ns in each of DRAWN, column by column
   */
  over({ from, to }, columns) {
    const sums = new Float32Array(columns * SIZE);
    const width = (to - from) / columns;
    const level = this.sums.findLast((known) => this.length / (known.length / SIZE) <= width);
    return level ? this.#steps(from, to, columns, sums, level) : this.#spans(from, to, columns, sums);
  }

  #spans(from, to, columns, sums) {
    const { row, group } = this;
    const scale = columns / (to - from);
    for (let at = last(row.from, from); at < row.from.length && row.from[at] < to; at++) {
      const own = group[row.state[at]];
      if (own < 0) continue;
      const begin = Math.max(from, row.from[at]);
      const end = Math.min(to, at + 1 < row.from.length ? row.from[at + 1] : this.length);
      spread(sums, (begin - from) * scale, (end - from) * scale, own, 1 / scale, columns);
    }
    return sums;
  }

  #steps(from, to, columns, sums, level) {
    const step = this.length / (level.length / SIZE);
    const scale = columns / (to - from);
    const until = Math.min(level.length / SIZE, Math.ceil(to / step));
    for (let at = Math.floor(from / step); at < until; at++) {
      const begin = Math.max(0, (at * step - from) * scale);
      const end = ((at + 1) * step - from) * scale;
      for (let own = 0; own < SIZE; own++)
        if (level[at * SIZE + own])
          spread(sums, begin, end, own, level[at * SIZE + own] / (step * scale), columns);
    }
    return sums;
  }
}

/** Adds what there is of `each` column, from one place to another, to the columns that it lies in. */
function spread(sums, begin, end, own, each, columns) {
  for (let column = Math.floor(begin); column < end && column < columns; column++) {
    sums[column * SIZE + own] += (Math.min(end, column + 1) - Math.max(begin, column)) * each;
  }
}

function halved(level) {
  const half = new Float32Array(level.length / 2);
  for (let at = 0; at < half.length; at++) {
    const step = Math.floor(at / SIZE);
    const own = at % SIZE;
    half[at] = level[2 * step * SIZE + own] + level[(2 * step + 1) * SIZE + own];
  }
  return half;
}
