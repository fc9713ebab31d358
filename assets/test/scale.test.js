import assert from "node:assert/strict";
import { test } from "node:test";
import { STEPS, scale } from "../src/scale.js";

test("a narrow range goes by equal steps", () => {
  const { number, position } = scale(0, 100);
  assert.deepEqual([0, STEPS / 2, STEPS].map(number), [0, 50, 100]);
  assert.deepEqual([0, 50, 100, 200].map(position), [0, STEPS / 2, STEPS, STEPS]);
});

test("a wide one by ratio", () => {
  const { number, position } = scale(0.1, 1000);
  assert.ok(Math.abs(number(STEPS / 2) - 10) < 1e-9);
  assert.deepEqual([0.1, 10, 1000].map(position), [0, STEPS / 2, STEPS]);
});
