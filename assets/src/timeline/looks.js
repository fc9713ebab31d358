import { end } from "./spans.js";

/** Colours of the page (overview.css). States have others, so that the two never mix. */
const NAMED = ["name-1", "name-2", "name-3", "name-4", "name-5"];
/** Of all other requests and jobs, and of what ran outside of them. */
const OTHERS = "others";
const OUTSIDE = "nobody";
export const HOLDERS = [...NAMED, OTHERS, OUTSIDE];

/**
 * Gives each unit the colour of its name: those that had the GVL longest have one of their own.
 * @param {import("./data.js").Capture} capture
 * @returns {{look: string, name?: string}[]} what holders look like; without a name: others, or outside
 */
export function dress(capture) {
  const named = longest(capture);
  const looks = new Map(named.map((name, at) => [name, NAMED[at] ?? OTHERS]));
  for (const unit of capture.units.values()) unit.look = looks.get(unit.name) ?? OTHERS;
  const shown = named.slice(0, NAMED.length).map((name, at) => ({ look: NAMED[at], name }));
  if (named.length > NAMED.length) shown.push({ look: OTHERS });
  return [...shown, { look: OUTSIDE }];
}

/** @returns {string[]} names by how long they had the GVL */
function longest(capture) {
  const held = new Map();
  for (const row of capture.rows.filter((one) => one.kind === "holder"))
    for (let at = 0; at < row.from.length; at++) {
      const unit = row.by[at] ? capture.units.get(row.unit[at]) : undefined;
      if (unit) held.set(unit.name, (held.get(unit.name) ?? 0) + end(capture, row, at) - row.from[at]);
    }
  return [...held].sort(([, one], [, other]) => other - one).map(([name]) => name);
}

/** @returns {number} number in HOLDERS of who held in a span of a row of holders, -1 for none */
export function holder(capture, row, at) {
  if (!row.by[at]) return -1;
  return HOLDERS.indexOf(capture.units.get(row.unit[at])?.look ?? OUTSIDE);
}
