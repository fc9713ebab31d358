import { Brush } from "./brush.js";
import { DRAWN } from "./levels.js";

const HEIGHT = 34;
const COLUMN = 2;
const STALLED = DRAWN.indexOf("stalled");

/**
 * The whole capture in a strip: how many threads waited when, and which part the picture shows. A click or a
 * drag moves that part.
 */
export class Minimap {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {number} length of the capture in ns
   * @param {(middle: number) => void} go
   */
  constructor(canvas, length, go) {
    this.brush = new Brush(canvas.getContext("2d"));
    this.length = length;
    canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
    for (const kind of ["pointerdown", "pointermove"])
      canvas.addEventListener(
        kind,
        (event) => event.buttons && go(((event.offsetX - this.left) / this.width) * length),
      );
  }

  /**
   * @param {import("./levels.js").Levels[]} levels
   * @param {{left: number, width: number}} layout of the rows below it
   */
  fit(levels, { left, width }) {
    Object.assign(this, { left, width });
    const count = Math.max(1, Math.floor(width / COLUMN));
    this.waiting = new Float64Array(count);
    for (const level of levels.filter((known) => known.row.kind === "thread")) {
      const sums = level.over({ from: 0, to: this.length }, count);
      for (let at = 0; at < count; at++)
        this.waiting[at] += sums[at * DRAWN.length + STALLED] / (this.length / count);
    }
  }

  /** @param {{from: number, to: number}} window */
  draw({ from, to }) {
    const { brush, left, width, waiting } = this;
    const most = Math.max(1, ...waiting);
    const wide = width / waiting.length;
    brush.fit(left + width, HEIGHT);
    brush.rect(brush.colour("shade"), left, 0, width, HEIGHT);
    waiting.forEach(
      (threads, at) =>
        threads > 0 &&
        brush.rect(
          brush.colour("stalled"),
          left + at * wide,
          HEIGHT * (1 - threads / most),
          wide,
          HEIGHT * (threads / most),
        ),
    );
    const x = left + (from / this.length) * width;
    const looked = Math.max(3, ((to - from) / this.length) * width);
    Object.assign(brush.context, { strokeStyle: brush.colour("link"), lineWidth: 2 });
    brush.context.strokeRect(x + 1, 1, Math.max(1, looked - 2), HEIGHT - 2);
  }
}
