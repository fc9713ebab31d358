import { Brush } from "./brush.js";
import { layout } from "./layout.js";
import { Levels, drawn } from "./levels.js";
import { Pixels } from "./pixels.js";
import { dense, holders, states, units } from "./row.js";
import { end } from "./spans.js";

const TICKS = [1, 2, 5];
const ROOM = 90;
const LETTERS = "12px system-ui, sans-serif";

/** The canvas with all rows. */
export class Picture {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {import("./data.js").Capture} capture
   * @param {{format: (ns: number) => string, holder: string}} words
   */
  constructor(canvas, capture, words) {
    this.capture = capture;
    this.words = words;
    this.brush = new Brush(canvas.getContext("2d"));
    this.levels = capture.rows.map((row) => new Levels(row, drawn(capture, row), capture.length));
  }

  /** @param {number} width of the place @param {Set<number>} folded rows that are not shown */
  fit(width, folded) {
    this.layout = layout(this.capture, width, folded);
    const shown = this.layout.places.filter(Boolean);
    // A stage without a width, before its page is laid out, has no image either.
    const across = Math.max(1, Math.round(this.layout.width));
    this.pixels = new Pixels(across, shown[0]?.height ?? 1, Math.max(1, shown.length));
    this.forget();
  }

  /** The theme or the screen is another one. */
  forget() {
    this.brush.forget();
    this.pixels.dye((name) => this.brush.colour(name));
  }

  /**
   * @param {{from: number, to: number}} window
   * @param {{row: number, span: number} | undefined} cursor
   * @param {import("./data.js").Unit | undefined} followed
   * @returns {number} how many rectangles it took
   */
  draw(window, cursor, followed) {
    const { brush } = this;
    const { left, width, height } = this.layout;
    brush.fit(left + width, height);
    brush.context.font = LETTERS;
    this.#axis(window);
    const crowded = this.#crowd(window);
    const drawn = this.capture.rows.reduce(
      (sum, row, at) => sum + this.#row(row, at, window, crowded[at]),
      this.pixels.used,
    );
    if (followed) this.#follow(window, followed);
    if (cursor) this.#outline(window, cursor);
    return drawn;
  }

  /** @returns {boolean[]} which rows were painted pixel by pixel */
  #crowd(window) {
    const { left, width, places } = this.layout;
    for (const { states: top, height } of places.filter(Boolean))
      this.brush.rect(this.brush.colour("shade"), left, top, width, height);
    this.pixels.clear();
    const crowded = this.capture.rows.map((row, at) => places[at] && dense(row, window, width));
    crowded.forEach((all, at) => all && this.pixels.row(this.levels[at], window, places[at].states));
    this.pixels.paint(this.brush.context, left);
    return crowded;
  }

  #row(row, at, window, crowded) {
    const { left, width, places } = this.layout;
    const { brush } = this;
    if (!places[at]) return 0;
    const { top, units: above, states: below, height } = places[at];
    const box = { left, width, top: below, height };
    const name = row.kind === "holder" ? this.words.holder : row.name;
    brush.text(
      name,
      left ? 0 : 2,
      left ? below + height - 4 : top + 12,
      left ? left - 8 : width - 4,
      row.kind === "holder" ? "ink" : "quiet",
    );
    const strip = { ...box, top: above, height: below - above };
    if (row.kind === "holder") holders(brush, row, window, strip, (span) => this.#holder(row, span));
    const painted = crowded ? 0 : states(brush, this.levels[at], window, box);
    this.#collections(row, window, box);
    return painted + units(brush, row, window, strip);
  }

  #holder(row, span) {
    const unit = this.capture.units.get(row.unit[span]);
    return unit ? `${unit.name} #${unit.id}` : this.capture.rows[row.by[span]].name;
  }

  /** A line under the time in which a thread collected garbage. */
  #collections(row, { from, to }, { left, width, top, height }) {
    const scale = width / (to - from);
    for (const [begin, finish] of row.collections) {
      if (finish <= from || begin >= to) continue;
      const x = left + Math.max(0, begin - from) * scale;
      this.brush.rect(
        this.brush.colour("warn"),
        x,
        top + height + 1,
        Math.max(1, Math.min(left + width, left + (finish - from) * scale) - x),
        4,
      );
    }
  }

  /** Everything else becomes paler. Rows above and below stay visible: they show who held meanwhile. */
  #follow(window, unit) {
    const {
      brush,
      layout: { left, width, places },
    } = this;
    const [begin, finish] = this.#x(window, unit.from, unit.to);
    brush.context.globalAlpha = 0.65;
    for (const { units: top, states: below, height } of places.filter(Boolean)) {
      brush.rect(brush.colour("paper"), left, top, begin - left, below + height - top);
      brush.rect(brush.colour("paper"), finish, top, left + width - finish, below + height - top);
    }
    brush.context.globalAlpha = 1;
    const place = places[unit.row];
    this.#frame(
      "link",
      begin,
      place.units - 1,
      finish - begin,
      place.states + place.height - place.units + 2,
    );
  }

  #outline(window, { row, span }) {
    const place = this.layout.places[row];
    const { from } = this.capture.rows[row];
    const [begin, finish] = this.#x(window, from[span], end(this.capture, this.capture.rows[row], span));
    this.#frame("ink", begin - 1, place.states - 1, Math.max(3, finish - begin + 2), place.height + 2);
  }

  #frame(name, x, y, width, height) {
    Object.assign(this.brush.context, { strokeStyle: this.brush.colour(name), lineWidth: 2 });
    this.brush.context.strokeRect(x, y, width, height);
  }

  /** @returns {[number, number]} where a time begins and ends, inside of the picture */
  #x(window, from, to) {
    const { left, width } = this.layout;
    const scale = width / (window.to - window.from);
    return [from, to].map((at) => left + Math.min(width, Math.max(0, (at - window.from) * scale)));
  }

  #axis(window) {
    const { left, width, height } = this.layout;
    const step = tick((window.to - window.from) * (ROOM / width));
    for (let at = Math.ceil(window.from / step) * step; at <= window.to; at += step) {
      const [x] = this.#x(window, at, at);
      this.brush.rect(this.brush.colour("line"), x, 0, 1, height);
      this.brush.text(this.words.format(at), x + 3, 12, Math.min(ROOM, left + width - x - 3), "quiet");
    }
  }
}

function tick(least) {
  const size = 10 ** Math.floor(Math.log10(least));
  return (TICKS.find((times) => times * size >= least) ?? 10) * size;
}
