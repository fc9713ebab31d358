import { DRAWN } from "./levels.js";
import { FLAT } from "./row.js";

/** Pixels of a column. */
const COLUMN = 2;
/** The patterns of the page (views/patterns.erb), by the place of a pixel. */
const MARKED = {
  cpu: () => false, stalled: (x, y) => ((x + y) & 7) < 2, io: (x, y) => x % 6 >> 1 === 1 && y % 6 >> 1 === 1,
  lock: (x, y) => ((x + y) & 7) === 0 || ((x - y) & 7) === 0, sleep: (x) => x % 6 === 3,
};
/** Patterns repeat after so many pixels. */
const TILE = 24;
const WHITE = 0.55;

/** Rows whose spans are too many for rectangles: one picture, pixel by pixel, of what share of its time each column was in what. */
export class Pixels {
  /** @param {number} width @param {number} height */
  constructor(width, height) {
    this.canvas = Object.assign(document.createElement("canvas"), { width, height });
    this.context = this.canvas.getContext("2d");
    this.image = this.context.createImageData(width, height);
    this.data = new Uint32Array(this.image.data.buffer);
    this.columns = Math.ceil(width / COLUMN);
  }

  clear() {
    this.data.fill(0);
    this.used = 0;
  }

  /** The theme's colours as tiles of pixels. @param {(state: string) => string} colour */
  dye(colour) {
    const tile = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    this.tiles = DRAWN.map((state) => tiled(numbers(tile, colour(state)), MARKED[state]));
  }

  /**
   * Ran, on it what waited; behind both what it was idle for longest.
   * @param {import("./levels.js").Levels} levels
   * @param {{from: number, to: number}} window
   * @param {{top: number, height: number}} box
   */
  row(levels, window, { top, height }) {
    const { columns } = this, sums = levels.over(window, columns), each = (window.to - window.from) / columns;
    for (let column = 0; column < columns; column++) {
      const at = column * DRAWN.length, ran = Math.min(1, sums[at] / each), waited = Math.min(1 - ran, sums[at + 1] / each);
      const idle = sums[at + 2] >= sums[at + 3] ? (sums[at + 2] >= sums[at + 4] ? 2 : 4) : sums[at + 3] >= sums[at + 4] ? 3 : 4;
      const low = top + height, full = Math.round(ran * height), high = ran || waited ? Math.max(full, Math.round((ran + waited) * height), 1) : 0;
      if (sums[at + idle] > 0) this.#fill(column, low - Math.round(FLAT * height), low, idle);
      if (high > full) this.#fill(column, low - high, low - full, 1);
      if (full) this.#fill(column, low - full, low, 0);
    }
    this.used += columns;
  }

  #fill(column, from, to, state) {
    const { width } = this.canvas, tile = this.tiles[state], end = Math.min(width, (column + 1) * COLUMN);
    for (let y = from; y < to; y++) for (let x = column * COLUMN; x < end; x++) this.data[y * width + x] = tile[(y % TILE) * TILE + (x % TILE)];
  }

  /** @param {CanvasRenderingContext2D} context @param {number} left */
  paint(context, left) {
    if (!this.used) return;
    this.context.putImageData(this.image, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(this.canvas, left, 0);
  }
}

/** @returns {[number, number]} the colour and its lighter one, as the pixels of an image have them */
function numbers(context, colour) {
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  const parts = [...context.getImageData(0, 0, 1, 1).data.subarray(0, 3)];
  return [parts, parts.map((part) => Math.round(part + (255 - part) * WHITE))].map(([red, green, blue]) => ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0);
}

function tiled([plain, light], marked) {
  return Uint32Array.from({ length: TILE * TILE }, (_, at) => (marked(at % TILE, Math.floor(at / TILE)) ? light : plain));
}
