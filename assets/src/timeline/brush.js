import { fill } from "../patterns.js";
import { colour } from "../theme.js";

/** What a canvas is painted with: colours and patterns of the page, looked up once for each theme. */
export class Brush {
  /** @param {CanvasRenderingContext2D} context */
  constructor(context) {
    this.context = context;
    this.forget();
  }

  /** The theme or the screen is another one. */
  forget() {
    this.colours = new Map();
    this.patterns = new Map();
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
    const { canvas } = this.context, ratio = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
      Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    }
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.clearRect(0, 0, width, height);
  }

  rect(style, x, y, width, height) {
    this.context.fillStyle = style;
    this.context.fillRect(x, y, width, height);
  }

  /** Text that ends where its room ends. */
  text(text, x, y, room, name = "ink") {
    const { context } = this;
    context.fillStyle = this.colour(name);
    context.fillText(this.#cut(text, room), x, y);
  }

  #cut(text, room) {
    if (this.context.measureText(text).width <= room) return text;
    let length = Math.min(text.length, Math.ceil(room / 3));
    while (length > 1 && this.context.measureText(`${text.slice(0, length)}…`).width > room) length--;
    return length > 1 ? `${text.slice(0, length)}…` : "";
  }
}
