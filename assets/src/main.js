import { Charts } from "./charts.js";
import { formatters, separator } from "./format.js";
import { Live } from "./live.js";
import { morph } from "./morph.js";
import { sliders } from "./sliders.js";
import { clocks, localize } from "./times.js";
import { waiting } from "./waiting.js";

// Every page is complete without this script. It draws charts of the tables, writes times in the viewer's
// zone, and updates live pages.
const language = document.documentElement.lang;
const main = document.querySelector("main");
const clock = clocks(language);
const charts = new Charts(main, {
  format: formatters(language),
  ticks: formatters(language, { short: true }),
  clock,
  separator: separator(language),
});
let asked;

/**
 * Updates the page with the answer of the server. A redirect counts as an error (it leads to a log-in), and
 * a later call takes the place of one that is still open.
 */
async function show(address) {
  asked?.abort();
  asked = new AbortController();
  const answer = await fetch(address, {
    credentials: "same-origin",
    // Whole or with the status of its error, which a page that is painted in parts does not have.
    headers: { accept: "text/html", "holdup-refresh": "1" },
    signal: asked.signal,
  });
  if (!answer.ok || answer.redirected) throw new Error(`${answer.status} ${answer.statusText}`);
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  morph(main, fresh.querySelector("main"));
  localize(main, clock);
  await charts.load();
}

function move(address) {
  history.replaceState(null, "", address);
  return show(address).catch(() => {}); // the form's button tries again, and shows the error
}

// The viewer of captures asks for the tables of its window.
document.addEventListener("holdup:move", (event) => move(event.detail));
localize(main, clock);
charts.load().catch(() => {}); // the chart's place shows the error
for (const form of main.querySelectorAll("form.fields")) sliders(form, move);
const panel = document.querySelector("[data-live]");
if (panel) new Live(panel, () => show(location.href)).start();
waiting(main, () => show(location.href));
