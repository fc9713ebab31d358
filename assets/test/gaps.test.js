import assert from "node:assert/strict";
import { test } from "node:test";
import { alone, around, lonely } from "../src/gaps.js";

test("only what has no neighbour stands alone", () => {
  assert.deepEqual(lonely([1, null, 2, 3, null, 4]), [0, 5]);
  assert.deepEqual(lonely([null, null]), []);
});

test("the first minute is shown with one before and one after it", () => {
  assert.deepEqual(
    [[60], [60, 120], []].map((values) => alone({ x: { values } })),
    [true, false, false],
  );
  assert.deepEqual(around(120), [60, 180]);
});
