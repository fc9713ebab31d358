import uPlot from "uplot";
import { moved } from "./cursor.js";
import { alone } from "./gaps.js";
import { latest } from "./latest.js";
import { legend } from "./legend.js";
import { data, options } from "./options.js";
import { flagged } from "./overlays.js";
import { reveal } from "./reveal.js";
import { signs } from "./signs.js";
import { onThemeChange } from "./theme.js";
import { following, indexOf, minutes, ofMark, part, target, within } from "./travel.js";

/**
 * What the server says of a chart (lib/holdup/shell/view/chart.rb).
 * @typedef {{label: string, state?: string, unit?: string, values: (number | null)[]}} Line
 * @typedef {object} Chart
 * @property {"stack" | "line" | "heat"} kind
 * @property {{unit: string, values: number[], log?: boolean}} x
 * @property {string} unit of the values
 * @property {Line[]} series
 * @property {{upto_ns: number[], counts: number[][], label: string}} [heat] a column of counts for each of x
 * @property {number} [most] where the scale ends
 * @property {number} [height] in pixels, other than usual
 * @property {boolean} [bare] whether the chart below it has the labels of x
 * @property {{at: number, label: string}[]} [limits]
 * @property {{at: number, label: string, page?: string, around?: boolean}[]} [marks]
 * @property {{x: number, y: number, label?: string}[]} [points] without a label: crossed out
 */

/** A chart in its place, with a legend of the values under the cursor, which mouse and keys move. */
export class Plot {
  /**
   * @param {HTMLElement} place
   * @param {{format: object, ticks: object, clock: object, separator: string}} words
   */
  constructor(place, words) {
    this.place = place;
    this.words = words;
    this.said = Object.assign(document.createElement("p"), { className: "quiet" });
    this.said.setAttribute("aria-live", "polite");
    place.addEventListener("keydown", (event) => this.#key(event));
    place.addEventListener("blur", () => this.#place(null));
    this.sized = new ResizeObserver(() => this.#fit());
    this.sized.observe(place);
    this.forget = onThemeChange(() => this.drawn?.redraw());
  }

  /** @param {Chart} chart */
  show(chart) {
    const labels = chart.series.map((line) => line.label);
    const shape = JSON.stringify([chart.kind, chart.unit, alone(chart), labels]);
    const known = this.drawn && shape === this.shape;
    this.chart = Object.assign(known ? this.chart : {}, chart); // the functions that draw read this object
    this.shape = shape;
    known ? this.#renew() : this.#draw();
    this.#showCursor();
  }

  /** Keeps the part that somebody has zoomed into. */
  #renew() {
    this.legend.renew();
    const { min, max } = this.drawn.scales.x;
    const [known] = this.drawn.data;
    const whole = min === known[0] && max === known.at(-1);
    this.drawn.setData(data(this.chart), whole);
    if (!whole) this.drawn.redraw();
  }

  close() {
    this.sized.disconnect();
    this.forget();
    this.drawn?.destroy();
  }

  #draw() {
    this.drawn?.destroy();
    this.legend = legend(this.chart, this.words.format.count);
    reveal(this.place);
    this.place.replaceChildren(this.legend.element, this.said);
    const how = { width: this.#width(), ...this.words };
    this.drawn = new uPlot(
      {
        ...options(this.chart, { ...how, travels: this.#travels() }),
        hooks: { setCursor: [() => this.#showCursor()], setSelect: [() => this.#selected()] },
      },
      data(this.chart),
      this.place,
    );
    if (!this.#travels()) return;
    this.drawn.over.addEventListener("click", (event) => this.#clicked(event));
    this.drawn.root.addEventListener("click", (event) => this.#leave(this.#flag(event)));
    this.drawn.root.addEventListener("mousemove", (event) => this.#point(this.#flag(event)));
  }

  /** Whether its points lead somewhere. */
  #travels() {
    return this.chart.x.unit === "time" && "moment" in this.place.dataset;
  }

  #clicked({ offsetX }) {
    this.#go(this.drawn.posToIdx(offsetX), (second) => Math.abs(this.drawn.valToPos(second, "x") - offsetX));
  }

  #go(at, distance = () => Infinity) {
    location.assign(target(this.chart, this.place.dataset, at, distance));
  }

  /** The mark that leads to a page, and whose flag, above what is drawn, is under the mouse. */
  #flag({ clientX, clientY }) {
    const { left, top } = this.drawn.over.getBoundingClientRect();
    const mark = clientY < top ? flagged(this.drawn, clientX - left) : undefined;
    return mark?.page ? mark : undefined;
  }

  #leave(mark) {
    if (mark) location.assign(ofMark(this.chart, this.place.dataset, mark));
  }

  #point(mark) {
    this.drawn.root.classList.toggle("leads", Boolean(mark));
  }

  /** A part that was chosen with the mouse becomes the span of the page. */
  #selected() {
    const { left, width } = this.drawn.select;
    if (!width || !this.#travels()) return;
    const [from, to] = [left, left + width].map((x) => this.drawn.posToVal(x, "x"));
    location.assign(within(this.place.dataset.part, minutes(from, to)));
  }

  #width() {
    return Math.max(200, this.place.clientWidth);
  }

  #fit() {
    if (this.drawn && this.drawn.width !== this.#width())
      this.drawn.setSize({ width: this.#width(), height: this.drawn.height });
  }

  /** Arrows move the cursor, with Shift they choose a part; M goes to the next mark; Enter leads there. */
  #key(event) {
    if (!this.drawn || event.ctrlKey || event.metaKey || event.altKey) return;
    const { idx } = this.drawn.cursor;
    if (event.key === "Enter" && this.#travels()) return this.#enter(idx);
    if (event.key.toLowerCase() === "m" && this.#travels()) return this.#toMark();
    const to = moved(event.key, idx, this.chart.x.values.length);
    if (to === undefined) return;
    event.preventDefault();
    const chosen = event.shiftKey && to !== null && this.#travels();
    this.#place(to, { from: chosen ? (this.from ?? idx ?? to) : undefined });
    if (to !== null) this.said.textContent = this.#sentence(to);
  }

  /** To the page of a mark, to a part that was chosen, or to the requests of a point. */
  #enter(idx) {
    if (this.mark) return this.#leave(this.mark);
    if (!Number.isInteger(idx)) return;
    if (this.from === undefined) return this.#go(idx);
    location.assign(part(this.chart, this.place.dataset, this.from, idx));
  }

  #toMark() {
    const mark = following(this.chart, this.mark);
    if (!mark) return;
    this.#place(indexOf(this.chart.x.values, mark.at), { mark });
    this.said.textContent = mark.label;
  }

  /** The cursor at a point, or none; what is chosen from another point to it; the mark that it is at. */
  #place(to, { from, mark } = {}) {
    if (!this.drawn) return;
    Object.assign(this, { from, mark });
    const place = (index) => this.drawn.valToPos(this.chart.x.values[index], "x");
    const left = to === null ? -10 : place(to);
    this.drawn.setCursor({ left, top: to === null ? -10 : 1 }, true, true);
    const start = from === undefined ? left : place(from);
    const [width, height] = [Math.abs(left - start), this.drawn.over.clientHeight];
    this.drawn.setSelect({ left: Math.min(left, start), top: 0, width, height }, false);
  }

  /** Shows in the legend the values under the cursor; without a cursor, over time, the latest. */
  #showCursor() {
    const asked = this.drawn?.cursor.idx;
    this.place.classList.toggle("asked", Number.isInteger(asked));
    const at = asked ?? latest(this.chart);
    const there = at >= 0;
    this.legend?.show(
      there ? this.#where(at) : "",
      this.chart.series.map((line) => (there ? this.#value(line, at) : "")),
    );
  }

  #value(line, at) {
    return this.words.format[line.unit ?? this.chart.unit](line.values[at]);
  }

  #where(at) {
    const { unit, values } = this.chart.x;
    const place =
      unit === "time"
        ? this.words.clock.brief(values[at], undefined, values[1] - values[0])
        : this.words.format[unit](values[at]);
    return [place, ...signs(this.chart, at)].join(this.words.separator);
  }

  #sentence(at) {
    return [
      this.#where(at),
      ...this.chart.series.map((line) => `${line.label} ${this.#value(line, at)}`),
    ].join(this.words.separator);
  }
}
