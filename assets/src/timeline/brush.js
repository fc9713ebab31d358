import { fill } from "../patterns.js";
import { colour } from "../theme.js";

/** To measure a text takes long, and each frame has the same ones. */
const REMEMBERED = 5000;

/** What a canvas is painted with: colours and patterns of the page, looked up once for each theme. */
export class Brush {
  /** @param {CanvasRenderingContext2D} context */
  constructor(context) {
    this.context = context;
    this.forget();
  }

  forget() {
    this.colours = new Map();
    this.patterns = new Map();
    this.widths = new Map();
  }

  /** @param {string} name @returns {string} */
  colour(name) {
    if (!this.colours.has(name)) this.colours.set(name, colour(name));
    return this.colours.get(name);
  }

  /** @param {string} state @returns {CanvasPattern | string} */
  pattern(state) {
    if (!this.patterns.has(state)) this.patterns.set(state, this.#scaled(fill(this.context, state)));
    return this.patterns.get(state);
  }

  /** Tiles are made for the pixels of the screen, and the canvas counts those of the page. */
  #scaled(pattern) {
    const ratio = window.devicePixelRatio || 1;
    pattern.setTransform?.(new DOMMatrix([1 / ratio, 0, 0, 1 / ratio, 0, 0]));
    return pattern;
  }

  /** Fits the canvas to the page. */
  fit(width, height) {
    const { canvas } = this.context;
    const ratio = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
      Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    }
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.clearRect(0, 0, width, height);
    this.style = undefined;
  }

  /** A canvas reads a colour anew each time it is given one. */
  #dip(style) {
    if (this.style !== style) this.context.fillStyle = this.style = style;
  }

  rect(style, x, y, width, height) {
    this.#dip(style);
    this.context.fillRect(x, y, width, height);
  }

  /** Text that ends where its room ends. */
  text(text, x, y, room, name = "ink") {
    const { context } = this;
    this.#dip(this.colour(name));
    context.fillText(this.#cut(text, room), x, y);
  }

  /** Letters differ in width; a tenth less than their share fits mostly. */
  #cut(text, room) {
    const width = this.#width(text);
    if (width <= room) return text;
    const letters = [...text].slice(0, Math.floor(([...text].length * room * 0.9) / width) - 1);
    return letters.length ? `${letters.join("")}…` : "";
  }

  #width(text) {
    if (this.widths.size > REMEMBERED) this.widths.clear();
    if (!this.widths.has(text)) this.widths.set(text, this.context.measureText(text).width);
    return this.widths.get(text);
  }
}
