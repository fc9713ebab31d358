import assert from "node:assert/strict";
import { test } from "node:test";
import { most, scaled, strength } from "../src/ramp.js";

test("the scale goes from one to the most by ratio, each count once", () => {
  assert.deepEqual(scaled([[0, 1000], [3]]), [1, 10, 100, 1000]);
  assert.deepEqual(scaled([[2, 0]]), [1, 2]);
  assert.deepEqual(scaled([[1]]), [1]);
  assert.deepEqual(scaled([[], [0]]), []);
});

test("more is stronger, and one is seen beside thousands", () => {
  const counts = [[1, 10, 100, 5000]];
  const shown = counts[0].map((count) => strength(count, most(counts)));
  assert.deepEqual(
    shown,
    [...shown].sort((one, other) => one - other),
  );
  assert.ok(shown[0] > 0.15);
  assert.equal(shown.at(-1), 1);
});
