import { Plot } from "./plot.js";
import { reveal } from "./reveal.js";

/**
 * All charts of a page: elements with data-series="ADDRESS#NAME", where NAME is a chart of the document at
 * ADDRESS, and elements that have their figures with them, data-chart="JSON".
 * A chart that can't be loaded says so in its place; the table beside it has the figures anyway.
 */
export class Charts {
  /** @type {Map<HTMLElement, Plot>} */
  #plots = new Map();

  /**
   * @param {ParentNode} root
   * @param {object} words
   */
  constructor(root, words) {
    this.root = root;
    this.words = words;
  }

  /** Draws all charts, or updates them. Each address is fetched once, however many charts it has. */
  async load() {
    this.#forget();
    for (const place of this.root.querySelectorAll("[data-chart]"))
      this.#draw(place, JSON.parse(place.dataset.chart));
    const places = [...this.root.querySelectorAll("[data-series]")];
    for (const place of places) if (!this.#plots.has(place)) announce(place);
    const addresses = new Set(places.map((place) => place.dataset.series.split("#")[0]));
    await Promise.all([...addresses].map((address) => this.#show(address, places)));
  }

  /** Closes the charts whose place is no longer in the page. */
  #forget() {
    for (const [place, plot] of this.#plots) {
      if (place.isConnected) continue;
      plot.close();
      this.#plots.delete(place);
    }
  }

  async #show(address, places) {
    const here = places.filter((place) => place.dataset.series.startsWith(`${address}#`));
    try {
      const charts = await ask(address);
      for (const place of here) this.#draw(place, charts[place.dataset.series.split("#")[1]]);
    } catch (error) {
      for (const place of here) if (!this.#plots.has(place)) apologize(place);
      throw error;
    }
  }

  #draw(place, chart) {
    place.removeAttribute("aria-busy");
    if (!chart) return void place.closest("figure").toggleAttribute("hidden", true);
    if (!this.#plots.has(place)) this.#plots.set(place, new Plot(place, this.words));
    this.#plots.get(place).show(chart);
  }
}

async function ask(address) {
  const answer = await fetch(address, {
    credentials: "same-origin",
    headers: { accept: "application/json" },
  });
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  return answer.json();
}

/** Holds the place of a chart until its figures are there. */
function announce(place) {
  reveal(place);
  place.setAttribute("aria-busy", "true");
  place.textContent = place.dataset.loading;
}

function apologize(place) {
  reveal(place);
  place.removeAttribute("aria-busy");
  place.textContent = place.dataset.failed;
}
