/**
 * Refreshes a page by itself, unless it is paused or hidden. `panel` has the button and the line that says
 * how the last refresh went; its data attributes have the words.
 */
export class Live {
  #paused = false;
  #timer;

  /**
   * @param {HTMLElement} panel with data-live="SECONDS"
   * @param {() => Promise<void>} refresh
   */
  constructor(panel, refresh) {
    this.every = Number(panel.dataset.live) * 1000;
    this.words = panel.dataset;
    this.refresh = refresh;
    this.button = panel.querySelector("button");
    this.status = panel.querySelector("[role=status]");
    panel.hidden = false;
  }

  start() {
    this.button.addEventListener("click", () => this.#pause(!this.#paused));
    document.addEventListener("visibilitychange", () => this.#wait(0));
    this.#wait(this.every);
  }

  #pause(paused) {
    this.#paused = paused;
    this.button.textContent = paused ? this.words.resume : this.words.pause;
    this.#wait(0);
  }

  /** One timer at most, and none while paused or hidden. */
  #wait(milliseconds) {
    clearTimeout(this.#timer);
    if (!this.#paused && !document.hidden) this.#timer = setTimeout(() => this.#once(), milliseconds);
  }

  async #once() {
    try {
      await this.refresh();
      this.status.textContent = "";
    } catch (error) {
      this.status.textContent = `${this.words.failed} (${error.message})`;
    }
    this.#wait(this.every);
  }
}
