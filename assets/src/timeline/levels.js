import { HOLDERS, holder } from "./looks.js";
import { last } from "./spans.js";

/**
 * How long a row was in which state, by steps that double: a picture of the whole capture reads no spans.
 * States are grouped as they are drawn.
 */
export const DRAWN = ["cpu", "stalled", "io", "lock", "sleep"];
const STALLED = 1;
const GROUPS = { running: 0, stalled: 1, preempted: 1, io: 2, lock: 3, sleep: 4, idle: 4 };
const FINEST = 1 << 14;
/** Spans for each step; less would be no shorter than they are. */
const SPANS = 4;

/**
 * What the spans of a row look like. A thread that is idle outside of requests and jobs waits for work, which
 * is nothing to see.
 * @param {import("./data.js").Capture} capture
 * @param {import("./data.js").Row} row
 * @returns {{kinds: string[], of: Int8Array}} colours, and for each span the number of its own, -1 for none
 */
export function drawn(capture, row) {
  if (row.kind === "holder") {
    return { kinds: HOLDERS, of: Int8Array.from(row.from, (_, at) => holder(capture, row, at)) };
  }
  const group = Int8Array.from(capture.states, (state) => GROUPS[state] ?? -1);
  const own = (at) => (group[row.state[at]] > STALLED && !row.unit[at] ? -1 : group[row.state[at]]);
  return { kinds: DRAWN, of: Int8Array.from(row.from, (_, at) => own(at)) };
}

export class Levels {
  /**
   * @param {import("./data.js").Row} row
   * @param {{kinds: string[], of: Int8Array}} looks
   * @param {number} length of the capture
   */
  constructor(row, { kinds, of }, length) {
    Object.assign(this, { row, kinds, of, length, size: kinds.length, sums: [] });
    let count = 1;
    while (count < FINEST && count * SPANS <= row.from.length) count *= 2;
    this.sums.push(this.#spans(0, length, count, new Float32Array(count * this.size)));
    for (; count > 1; count /= 2) this.sums.push(this.#halved(this.sums.at(-1)));
  }

  /**
   * @param {{from: number, to: number}} window
   * @param {number} columns
   * @returns {Float32Array} ns in each of its kinds, column by column
   */
  over({ from, to }, columns) {
    const sums = new Float32Array(columns * this.size);
    const width = (to - from) / columns;
    const level = this.sums.findLast((known) => this.length / (known.length / this.size) <= width);
    return level ? this.#steps(from, to, columns, sums, level) : this.#spans(from, to, columns, sums);
  }

  #spans(from, to, columns, sums) {
    const { row, of, size } = this;
    const scale = columns / (to - from);
    for (let at = last(row.from, from); at < row.from.length && row.from[at] < to; at++) {
      const own = of[at];
      if (own < 0) continue;
      const begin = Math.max(from, row.from[at]);
      const end = Math.min(to, at + 1 < row.from.length ? row.from[at + 1] : this.length);
      spread(sums, (begin - from) * scale, (end - from) * scale, { own, size, each: 1 / scale, columns });
    }
    return sums;
  }

  #steps(from, to, columns, sums, level) {
    const { size } = this;
    const step = this.length / (level.length / size);
    const scale = columns / (to - from);
    const until = Math.min(level.length / size, Math.ceil(to / step));
    for (let at = Math.floor(from / step); at < until; at++) {
      const begin = Math.max(0, (at * step - from) * scale);
      const end = ((at + 1) * step - from) * scale;
      for (let own = 0; own < size; own++) {
        const ns = level[at * size + own];
        if (ns) spread(sums, begin, end, { own, size, each: ns / (step * scale), columns });
      }
    }
    return sums;
  }

  #halved(level) {
    const { size } = this;
    const half = new Float32Array(level.length / 2);
    for (let at = 0; at < half.length; at++) {
      const step = Math.floor(at / size);
      const own = at % size;
      half[at] = level[2 * step * size + own] + level[(2 * step + 1) * size + own];
    }
    return half;
  }
}

/** Adds what there is of `each` column, from one place to another, to the columns that it lies in. */
function spread(sums, begin, end, { own, size, each, columns }) {
  for (let column = Math.floor(begin); column < end && column < columns; column++) {
    sums[column * size + own] += (Math.min(end, column + 1) - Math.max(begin, column)) * each;
  }
}
