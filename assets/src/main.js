import { Charts } from "./charts.js";
import { tellers } from "./format.js";
import { Live } from "./live.js";
import { morph } from "./morph.js";
import { sliders } from "./sliders.js";
import { clocks, localize } from "./times.js";
import { waiting } from "./waiting.js";

/**
 * Every page is whole without this: it draws what stands in tables, tells times in the viewer's zone, and keeps live pages fresh.
 */
const language = document.documentElement.lang;
const main = document.querySelector("main");
const clock = clocks(language);
const charts = new Charts(main, { tell: tellers(language), ticks: tellers(language, { short: true }), clock });
let asked;

/** Makes the page what the server says at that address (and no other: that would be a log-in); of two that were asked for, the later. */
async function show(address) {
  asked?.abort();
  asked = new AbortController();
  const answer = await fetch(address, { credentials: "same-origin", headers: { accept: "text/html" }, signal: asked.signal });
  if (!answer.ok || answer.redirected) throw new Error(`${answer.status} ${answer.statusText}`);
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  morph(main, fresh.querySelector("main"));
  localize(main, clock);
  await charts.load();
}

function move(address) {
  history.replaceState(null, "", address);
  return show(address).catch(() => {}); // the button of the form asks again, and shows what is wrong
}

document.addEventListener("holdup:move", (event) => move(event.detail)); // the viewer of captures asks for its tables
localize(main, clock);
charts.load().catch(() => {}); // the chart's place says it
for (const form of main.querySelectorAll("form.fields")) sliders(form, move);
const panel = document.querySelector("[data-live]");
if (panel) new Live(panel, () => show(location.href)).start();
waiting(main, () => show(location.href));
