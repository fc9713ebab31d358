import { Charts } from "./charts.js";
import { tellers } from "./format.js";
import { Live } from "./live.js";
import { morph } from "./morph.js";
import { clocks, localize } from "./times.js";

/**
 * Every page is whole without this: it draws what stands in tables, tells times in the viewer's zone, and keeps live pages fresh.
 */
const language = document.documentElement.lang;
const main = document.querySelector("main");
const clock = clocks(language);
const charts = new Charts(main, { tell: tellers(language), clock });

async function refresh() {
  const answer = await fetch(location.href, { credentials: "same-origin", headers: { accept: "text/html" } });
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  morph(main, fresh.querySelector("main"));
  localize(main, clock);
  await charts.load();
}

localize(main, clock);
charts.load().catch(() => {}); // the chart's place says it
const panel = document.querySelector("[data-live]");
if (panel) new Live(panel, refresh).start();
