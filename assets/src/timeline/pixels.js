import { hatched } from "../theme.js";
import { DRAWN } from "./levels.js";
import { HOLDERS } from "./looks.js";
import { FLAT } from "./row.js";

/** Pixels of a column. */
const COLUMN = 2;
/** The patterns of the page (views/patterns.erb), by the place of a pixel. */
const MARKED = {
  cpu: () => false,
  stalled: (x, y) => ((x + y) & 7) < 2,
  io: (x, y) => (x % 6) >> 1 === 1 && (y % 6) >> 1 === 1,
  lock: (x, y) => ((x + y) & 7) === 0 || ((x - y) & 7) === 0,
  sleep: (x) => x % 6 === 3,
};
const PLAIN = () => false;
/** Patterns repeat after so many pixels. */
const TILE = 24;
const WHITE = 0.55;

/** Rows with too many spans for rectangles: a column of pixels has the shares of the states in its time. */
export class Pixels {
  /** @param {number} width @param {number} height of a row @param {number} most rows, one below the other */
  constructor(width, height, most) {
    this.height = height;
    this.canvas = Object.assign(document.createElement("canvas"), { width, height: height * most });
    this.context = this.canvas.getContext("2d");
    this.image = this.context.createImageData(width, height * most);
    this.data = new Uint32Array(this.image.data.buffer);
    this.columns = Math.ceil(width / COLUMN);
  }

  clear() {
    this.tops = [];
  }

  /** How many columns were filled. */
  get used() {
    return this.tops.length * this.columns;
  }

  /** The theme's colours as tiles of pixels. @param {(state: string) => string} colour */
  dye(colour) {
    const tile = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    this.tiles = {};
    for (const look of [...DRAWN, ...HOLDERS])
      this.tiles[look] = tiled(numbers(tile, colour(look)), (hatched() && MARKED[look]) || PLAIN);
  }

  /**
   * @param {import("./levels.js").Levels} levels
   * @param {{from: number, to: number}} window
   * @param {number} top where the row stands in the picture
   */
  row(levels, window, top) {
    const { columns, height } = this;
    const bottom = (this.tops.length + 1) * height;
    const sums = levels.over(window, columns);
    const each = (window.to - window.from) / columns;
    this.data.fill(0, (bottom - height) * this.canvas.width, bottom * this.canvas.width);
    this.tops.push(top);
    for (let column = 0; column < columns; column++) {
      const own = sums.subarray(column * levels.size, (column + 1) * levels.size);
      if (levels.kinds === HOLDERS) this.#held(column, bottom, own, each);
      else this.#thread(column, bottom, own, each);
    }
  }

  /** Who held, one above the other. */
  #held(column, bottom, sums, each) {
    let below = 0;
    sums.forEach((ns, own) => {
      if (!ns) return;
      const from = Math.round((below / each) * this.height);
      below = Math.min(each, below + ns);
      const to = Math.round((below / each) * this.height);
      if (to > from) this.#fill(column, bottom - to, bottom - from, HOLDERS[own]);
    });
  }

  /** Ran, on it what waited; behind both what it was idle for longest. */
  #thread(column, bottom, sums, each) {
    const { height } = this;
    const ran = Math.min(1, sums[0] / each);
    const waited = Math.min(1 - ran, sums[1] / each);
    const idle = sums.indexOf(Math.max(...sums.subarray(2)), 2);
    const full = Math.round(ran * height);
    const high = ran || waited ? Math.max(full, Math.round((ran + waited) * height), 1) : 0;
    if (sums[idle] > 0) this.#fill(column, bottom - Math.round(FLAT * height), bottom, DRAWN[idle]);
    if (high > full) this.#fill(column, bottom - high, bottom - full, "stalled");
    if (full) this.#fill(column, bottom - full, bottom, "cpu");
  }

  #fill(column, from, to, state) {
    const { width } = this.canvas;
    const tile = this.tiles[state];
    const end = Math.min(width, (column + 1) * COLUMN);
    for (let y = from; y < to; y++)
      for (let x = column * COLUMN; x < end; x++)
        this.data[y * width + x] = tile[(y % TILE) * TILE + (x % TILE)];
  }

  /** @param {CanvasRenderingContext2D} context @param {number} left */
  paint(context, left) {
    const {
      canvas: { width },
      height,
      tops,
    } = this;
    if (tops.length) this.context.putImageData(this.image, 0, 0, 0, 0, width, tops.length * height);
    context.imageSmoothingEnabled = false;
    tops.forEach((top, at) =>
      context.drawImage(this.canvas, 0, at * height, width, height, left, top, width, height),
    );
  }
}

/** @returns {[number, number]} the colour and its lighter one, as the pixels of an image have them */
function numbers(context, colour) {
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  const parts = [...context.getImageData(0, 0, 1, 1).data.subarray(0, 3)];
  return [parts, parts.map((part) => Math.round(part + (255 - part) * WHITE))].map(
    ([red, green, blue]) => ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0,
  );
}

function tiled([plain, light], marked) {
  return Uint32Array.from({ length: TILE * TILE }, (_, at) =>
    marked(at % TILE, Math.floor(at / TILE)) ? light : plain,
  );
}
