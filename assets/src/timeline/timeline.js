import { formatters } from "../format.js";
import { patch } from "../legend.js";
import { reveal } from "../reveal.js";
import { decode, name as nameUnits } from "./data.js";
import { dress } from "./looks.js";
import { Viewer } from "./viewer.js";

// The page of a capture is complete without this script, which draws what its tables say.
const place = document.querySelector("[data-capture]");
if (place) open(place).catch((error) => apologize(place, error));

async function open(place) {
  const answer = await fetch(place.dataset.capture, { credentials: "same-origin" });
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  const capture = decode(await answer.arrayBuffer());
  const words = JSON.parse(place.dataset.words);
  nameUnits(capture, words);
  name(place.querySelector(".holders"), dress(capture), words);
  reveal(place.querySelector(".viewer"));
  const viewer = new Viewer(place, capture, {
    words,
    format: whole(formatters(document.documentElement.lang).ns),
    ask,
  });
  const asked = new URLSearchParams(location.search);
  const [from, to] = ["from_ns", "to_ns"].map((name) => Number(asked.get(name) ?? NaN));
  if (to > from) viewer.look({ from, to });
  else viewer.follow(Number(place.dataset.unit));
}

/** A number and its unit stay on one line. */
const whole = (format) => (value) => format(value).replace(" ", "\u00a0");

/** Names the colours of who held the GVL. */
function name(list, looks, words) {
  const items = looks.map(({ look, name: text }) => {
    const item = document.createElement("li");
    item.append(patch(look), ` ${text ?? words[look]}`);
    return item;
  });
  list.append(...items);
}

/** Updates the page's tables and its address for that part. */
function ask({ from, to }, unit) {
  const address = new URL(location.href);
  const words = { from_ns: Math.floor(from), to_ns: Math.ceil(to), unit };
  for (const [name, value] of Object.entries(words))
    value === undefined ? address.searchParams.delete(name) : address.searchParams.set(name, value);
  document.dispatchEvent(new CustomEvent("holdup:move", { detail: address.href }));
}

function apologize(place, error) {
  place.querySelector("[role=status]").textContent = `${place.dataset.failed} (${error.message})`;
}
