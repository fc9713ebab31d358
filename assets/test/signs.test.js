import assert from "node:assert/strict";
import { test } from "node:test";
import { signs } from "../src/signs.js";

test("a change belongs to the step in which it happened", () => {
  const chart = {
    x: { values: [0, 60, 120] },
    marks: [
      { at: 70, label: "threads 5 -> 3" },
      { at: 120, label: "deployed" },
    ],
  };
  assert.deepEqual(
    [0, 1, 2].map((at) => signs(chart, at)),
    [[], ["threads 5 -> 3"], ["deployed"]],
  );
});

test("a marked setting is named once, one that is only crossed out not at all", () => {
  const points = [
    { x: 5, label: "* now" },
    { x: 5, label: "<- advised" },
    { x: 5, label: "* now" },
    { x: 3 },
  ];
  const chart = { x: { values: [3, 5] }, points, marks: [{ at: 3, label: "" }] };
  assert.deepEqual(
    [0, 1].map((at) => signs(chart, at)),
    [[], ["* now", "<- advised"]],
  );
});
