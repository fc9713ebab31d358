/**
 * Loads a page that is still being computed again until it is complete, also while its tab is hidden:
 * somebody who waits may look at something else meanwhile.
 * @param {ParentNode} main has data-wait="SECONDS" in it for as long as the page is not complete
 * @param {() => Promise<void>} refresh
 */
export function waiting(main, refresh) {
  const section = main.querySelector("[data-wait]");
  if (!section) return;
  const { wait, complete } = section.dataset;
  setTimeout(
    async () => {
      await refresh().catch(() => {}); // the next try may succeed
      if (main.querySelector("[data-wait]")) waiting(main, refresh);
      else say(main, complete);
    },
    Number(wait) * 1000,
  );
}

function say(main, text) {
  const line = main.querySelector("[data-ready]");
  if (line) line.textContent = text;
}
