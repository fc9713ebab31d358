import assert from "node:assert/strict";
import { test } from "node:test";
import { following, indexOf, leading, minutes, ofMark, part, step, target, within } from "../src/travel.js";

const START = 1_790_000_040;
const chart = {
  x: { values: [START, START + 60, START + 120] },
  marks: [{ at: START + 90, page: "compare", around: true }],
};
const places = { moment: "/slowest?lang=ja", compare: "/compare" };

test("an address gets moments, and keeps what it has", () => {
  const address = within("/x?unit=A%23b&since=1h", { since: START, until: START + 60 });
  const asked = new URLSearchParams(address.split("?")[1]);
  assert.equal(asked.get("unit"), "A#b");
  assert.equal(asked.get("since"), "2026-09-21T14:14:00Z");
  assert.equal(asked.get("until"), "2026-09-21T14:15:00Z");
});

test("a point is a step, and a single one is a minute", () => {
  assert.deepEqual(step([0, 300], 1), { since: 300, until: 600 });
  assert.deepEqual(step([60], 0), { since: 60, until: 120 });
});

test("a part has whole minutes, and one at least", () => {
  assert.deepEqual(minutes(61, 179), { since: 60, until: 180 });
  assert.deepEqual(minutes(60, 60), { since: 60, until: 120 });
});

test("a click leads to the requests of its step", () => {
  const address = target(chart, places, 1, () => 100);
  assert.match(address, /^\/slowest\?lang=ja&since=2026-09-21T14%3A15%3A00Z&until=2026-09-21T14%3A16%3A00Z$/);
});

test("near a mark with two sides it leads to the comparison around it", () => {
  const asked = new URLSearchParams(target(chart, places, 1, () => 3).split("?")[1]);
  assert.deepEqual(
    ["base_since", "base_until", "since", "until"].map((name) => asked.get(name).slice(14, 19)),
    ["14:00", "15:30", "15:30", "17:00"],
  );
});

test("a mark leads to the comparison around it, wherever it is clicked", () => {
  assert.equal(
    ofMark(chart, places, chart.marks[0]),
    target(chart, places, 1, () => 3),
  );
});

test("near another mark it leads to the page of that, around the minute", () => {
  const marked = { ...chart, marks: [{ at: START + 95, page: "deaths" }] };
  const address = target(marked, { ...places, deaths: "/deaths?lang=ja" }, 1, () => 3);
  assert.match(address, /^\/deaths\?lang=ja&since=2026-09-21T14%3A15%3A00Z&until=2026-09-21T14%3A18%3A00Z$/);
});

test("keys go from mark to mark, and to the first again", () => {
  const marks = [
    { at: START + 95, page: "deaths" },
    { at: START + 30, page: "compare" },
    { at: START + 60 },
    { at: START + 500, page: "deaths" },
  ];
  const marked = { ...chart, marks };
  assert.deepEqual(leading(marked), [marks[1], marks[0]]);
  const first = following(marked, undefined);
  const second = following(marked, first);
  assert.deepEqual([first, second, following(marked, second)], [marks[1], marks[0], marks[1]]);
  assert.equal(following({ x: chart.x }, undefined), undefined);
});

test("a moment is in the step that began last", () => {
  assert.deepEqual(
    [START - 5, START + 59, START + 60, START + 900].map((second) => indexOf(chart.x.values, second)),
    [0, 0, 1, 2],
  );
});

test("a part that was chosen by keys has both of its ends, whichever was first", () => {
  const here = { part: "/?since=1h" };
  const address = part(chart, here, 2, 1);
  assert.match(address, /since=2026-09-21T14%3A15%3A00Z&until=2026-09-21T14%3A17%3A00Z$/);
  assert.equal(address, part(chart, here, 1, 2));
});
