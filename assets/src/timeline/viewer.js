import { onThemeChange } from "../theme.js";
import { pointer } from "./pointer.js";
import { Minimap } from "./minimap.js";
import { Picture } from "./picture.js";
import { search } from "./search.js";
import { silent } from "./silent.js";
import { end, last, longestStall, nextStall } from "./spans.js";
import { Description, filled } from "./description.js";
import { fitted, keyed, showing, zoomed } from "./window.js";

const CLOSER = 1.5;

/** The viewer of a capture: the picture, the span under the cursor in words, and the window that is shown. */
export class Viewer {
  /**
   * @param {HTMLElement} place see views/blocks/capture.erb
   * @param {import("./data.js").Capture} capture
   * @param {object} how
   * @param {Record<string, string>} how.words
   * @param {(ns: number) => string} how.format
   * @param {(part: {from: number, to: number}, unit?: number) => void} how.ask
   */
  constructor(place, capture, { words, format, ask }) {
    Object.assign(this, { place, capture, ask });
    this.stage = place.querySelector("[role=application]");
    this.picture = new Picture(this.stage.querySelector("canvas"), capture, { format, holder: words.holder });
    this.minimap = new Minimap(place.querySelector(".minimap"), capture.length, (middle) =>
      this.look(fitted(middle - this.#size / 2, this.#size, capture.length)),
    );
    this.description = new Description(
      place.querySelector(".description"),
      capture,
      words,
      format,
      (row, time) => this.goTo(row, time),
    );
    this.window = { from: 0, to: capture.length };
    this.folded = silent(capture);
    this.fold = new Fold(place.querySelector("[data-do=fold]"), this.folded.size, words);
    this.#listen();
    this.#fit();
    new ResizeObserver(() => this.#fit()).observe(this.stage);
    onThemeChange(() => this.#repaint());
  }

  get #size() {
    return this.window.to - this.window.from;
  }

  /** @param {{from: number, to: number}} window */
  look(window) {
    this.window = window;
    this.#draw();
  }

  /** Puts the cursor on what a row was in. */
  goTo(row, time, window = this.window) {
    if (this.folded.has(row)) this.#unfold();
    const { from } = this.capture.rows[row];
    const span = last(from, time);
    this.cursor = { row, span, time };
    this.description.show(row, span);
    this.look(
      showing(window, from[span], end(this.capture, this.capture.rows[row], span), this.capture.length),
    );
  }

  /** @param {number | undefined} id of a unit; what is not its own gets paler */
  follow(id) {
    this.followed = this.capture.units.get(id);
    if (!this.followed) return this.#draw();
    const { from, to, row } = this.followed;
    this.goTo(
      row,
      longestStall(this.capture, this.capture.rows[row], from, to) ?? from,
      fitted(from - (to - from) * 0.1, (to - from) * 1.2, this.capture.length),
    );
  }

  #listen() {
    this.stage.addEventListener("keydown", (event) => this.#key(event));
    pointer(this.stage, this);
    for (const button of this.place.querySelectorAll("[data-do]"))
      button.addEventListener("click", () => this.do(button.dataset.do));
    search(
      this.place.querySelector("[type=search]"),
      this.place.querySelector(".found"),
      this.capture,
      (one) => this.#found(one),
    );
  }

  #found({ row, time, unit }) {
    if (unit) this.#follow(unit);
    else this.goTo(row, time);
  }

  #follow(unit) {
    this.follow(unit);
    this.ask(this.window, unit);
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const moved = keyed(event.key, this.window, this.#middle(), this.capture.length);
    if (moved) this.look(moved);
    else if (!this.do(KEYS[event.key])) return;
    event.preventDefault();
  }

  /** What zooming by keys leaves in its place: the cursor, where it is seen. */
  #middle() {
    const at = this.cursor?.time;
    return at >= this.window.from && at <= this.window.to ? at : (this.window.from + this.window.to) / 2;
  }

  /** @param {string} what a button or key is for @returns {boolean} whether that is something to do */
  do(what) {
    const known = {
      closer: () => this.look(zoomed(this.window, CLOSER, this.#middle(), this.capture.length)),
      further: () => this.look(zoomed(this.window, 1 / CLOSER, this.#middle(), this.capture.length)),
      whole: () => this.look({ from: 0, to: this.capture.length }),
      next: () => this.#stall(1),
      before: () => this.#stall(-1),
      up: () => this.#row(-1),
      down: () => this.#row(1),
      follow: () => this.#followCursor(),
      tables: () => this.ask(this.window, this.followed?.id),
      free: () => this.#free(),
      fold: () => (this.folded.size ? this.#unfold() : this.#foldAgain()),
    }[what];
    known?.();
    return Boolean(known);
  }

  #stall(step) {
    const { row, span } = this.cursor ?? {
      row: this.capture.rows.findIndex((one) => one.kind === "thread"),
      span: -1,
    };
    const own = this.capture.rows[row];
    const next = own && nextStall(this.capture, own, span, step);
    if (next !== undefined) this.goTo(row, own.from[next]);
  }

  #row(step) {
    const shown = [...this.capture.rows.keys()].filter((at) => !this.folded.has(at));
    const own = shown.indexOf(this.cursor?.row ?? -1);
    const next = shown[Math.max(0, Math.min(shown.length - 1, own + step))];
    this.goTo(next, this.#middle(), this.window);
  }

  /** Shows the threads that explain little, too. */
  #unfold() {
    this.folded = new Set();
    this.#refold();
  }

  #foldAgain() {
    this.folded = silent(this.capture);
    if (this.folded.has(this.cursor?.row)) this.cursor = undefined;
    this.#refold();
  }

  #refold() {
    this.fold.show(this.folded.size > 0);
    this.wide = undefined;
    this.#fit();
  }

  #followCursor() {
    const unit = this.cursor && this.capture.rows[this.cursor.row].unit[this.cursor.span];
    if (unit) this.#follow(unit);
  }

  #free() {
    this.followed = this.cursor = undefined;
    this.#draw();
  }

  #fit() {
    if (this.wide === this.stage.clientWidth) return;
    this.wide = this.stage.clientWidth;
    this.picture.fit(this.stage.clientWidth, this.folded);
    this.minimap.fit(this.picture.levels, this.picture.layout);
    this.#repaint();
  }

  #repaint() {
    this.picture.forget();
    this.minimap.brush.forget();
    this.#draw();
  }

  /** Once a frame, however much happens in it. */
  #draw() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      const begun = performance.now();
      const drawn = this.picture.draw(this.window, this.cursor, this.followed);
      this.minimap.draw(this.window);
      this.place.dispatchEvent(
        new CustomEvent("holdup:drawn", { detail: { ms: performance.now() - begun, drawn } }),
      );
    });
  }
}

/** The button under the rows that shows and hides silent threads. */
class Fold {
  constructor(button, count, words) {
    Object.assign(this, { button, count, words });
    button.hidden = !count;
    this.show(true);
  }

  /** @param {boolean} folded */
  show(folded) {
    const { button, count, words } = this;
    const more = count === 1 ? words.folded_one : filled(words.folded, { count: String(count) });
    button.textContent = folded ? more : words.unfolded;
    button.setAttribute("aria-expanded", String(!folded));
  }
}

const KEYS = {
  ArrowUp: "up",
  ArrowDown: "down",
  n: "next",
  p: "before",
  Enter: "follow",
  t: "tables",
  Escape: "free",
};
