import assert from "node:assert/strict";
import { test } from "node:test";
import { latest } from "../src/latest.js";

const chart = (unit, ...lines) => ({
  x: { unit, values: [60, 120, 180] },
  series: lines.map((values) => ({ values })),
});

test("the last step that has a value, of whichever line", () => {
  assert.equal(latest(chart("time", [1, 2, null], [3, null, null])), 1);
  assert.equal(latest(chart("time", [1, 2, null], [3, null, 0])), 2);
});

test("of a heat map the last step that has units", () => {
  assert.equal(latest({ ...chart("time", [5, 7, 0], [1e6, 2e6, null]), kind: "heat" }), 1);
});

test("none where nothing was measured, and none on an axis that is not time", () => {
  assert.equal(latest(chart("time", [null, null, null])), -1);
  assert.equal(latest(chart("count", [1, 2, 3])), -1);
});
