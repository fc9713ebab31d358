import assert from "node:assert/strict";
import { test } from "node:test";
import { moved } from "../src/cursor.js";

test("arrows go from point to point and stop at the ends", () => {
  assert.deepEqual(
    [
      moved("ArrowRight", 3, 10),
      moved("ArrowLeft", 3, 10),
      moved("ArrowLeft", 0, 10),
      moved("ArrowRight", 9, 10),
    ],
    [4, 2, 0, 9],
  );
});

test("the first key comes in from its side", () => {
  assert.deepEqual([moved("ArrowRight", null, 10), moved("ArrowLeft", null, 10)], [0, 9]);
});

test("far, to the ends, and away", () => {
  assert.deepEqual(
    ["PageDown", "PageUp", "Home", "End", "Escape"].map((key) => moved(key, 15, 20)),
    [19, 5, 0, 19, null],
  );
});

test("other keys are the browser's", () => assert.equal(moved("Tab", 1, 10), undefined));
