import { end, stalled, waitedFor } from "./spans.js";

/** So many holders of one wait are named. */
const HELD = 6;
/** Where a method is, behind its name. */
const PLACE = / \((.+)\)$/;

/**
 * A sentence of the server with its %{name} filled in.
 * @param {string} text
 * @param {Record<string, string>} facts
 */
export const filled = (text, facts) => text.replace(/%\{(\w+)\}/g, (_, name) => facts[name] ?? "");

/** The span under the cursor in words, for eyes and screen readers: who waited, and links to who held. */
export class Description {
  /**
   * @param {HTMLElement} place with a line and a list
   * @param {import("./data.js").Capture} capture
   * @param {Record<string, string>} words
   * @param {(ns: number) => string} format
   * @param {(row: number, time: number) => void} go
   */
  constructor(place, capture, words, format, go) {
    Object.assign(this, { capture, words, format, go });
    this.line = place.querySelector("[aria-live]");
    this.list = place.querySelector("ul");
  }

  /** @param {number} at row @param {number} span */
  show(at, span) {
    const row = this.capture.rows[at];
    this.line.textContent = this.#sentence(row, span);
    this.list.replaceChildren(
      ...(row.kind === "thread" && stalled(this.capture, row, span) ? this.#holders(row, span) : []),
    );
  }

  #sentence(row, span) {
    const { capture, words } = this;
    const from = row.from[span];
    const facts = {
      who: row.kind === "holder" ? this.#holder(row, span) : row.name,
      time: this.format(end(capture, row, span) - from),
      at: this.format(from),
      state: this.#state(row, span),
    };
    return [
      filled(words.period, facts),
      row.kind === "thread" && this.#unit(row.unit[span]),
      this.#method(row, span),
    ]
      .filter(Boolean)
      .join(" · ");
  }

  /** In the row of holders what is absent elsewhere has no holder. */
  #state(row, span) {
    const state = this.capture.states[row.state[span]];
    return this.words[row.kind === "holder" && state === "absent" ? "no_holder" : state];
  }

  #holder(row, span) {
    return row.by[span] ? this.#who(row.by[span], row.unit[span]) : this.words.holder;
  }

  #unit(id) {
    const unit = this.capture.units.get(id);
    return unit ? `${unit.name} #${id}` : "";
  }

  #who(by, unit) {
    return [this.#unit(unit), this.capture.rows[by].name].filter(Boolean).join(" · ");
  }

  #method(row, span) {
    return this.#placed(row.method?.[span] ?? 0);
  }

  /** "Report#sum (app/models/report.rb:3)" with the brackets of the page's language. */
  #placed(method) {
    return this.capture.methods[method]?.replace(PLACE, (_, place) =>
      filled(this.words.placed_at, { place }),
    );
  }

  #holders(row, span) {
    const { held, handoff } = waitedFor(this.capture, row, span);
    const items = held.slice(0, HELD).map((part) => this.#item(part));
    if (handoff > 0) items.push(item(this.#share(this.words.handoff, handoff)));
    return items;
  }

  #item({ by, unit, method, ns, from }) {
    const button = Object.assign(document.createElement("button"), { type: "button" });
    const names = [this.#who(by, unit), this.#placed(method)].filter(Boolean).join(" · ");
    button.textContent = this.#share(names, ns);
    button.addEventListener("click", () => this.go(by, from));
    return item(button);
  }

  #share(who, ns) {
    return filled(this.words.held_part, { who, time: this.format(ns) });
  }
}

function item(content) {
  const element = document.createElement("li");
  element.append(content);
  return element;
}
