import assert from "node:assert/strict";
import { test } from "node:test";
import { logTicks } from "../src/ticks.js";

test("a short axis has 1, 2 and 5", () => assert.deepEqual(logTicks(3, 120, 8), [5, 10, 20, 50, 100]));

test("a long one has powers of ten", () => assert.deepEqual(logTicks(900, 2e6, 8), [1e3, 1e4, 1e5, 1e6]));

test("where there is little room, some of them", () => {
  assert.deepEqual(logTicks(1, 1e6, 4), [1, 100, 1e4, 1e6]);
  assert.deepEqual(logTicks(1, 1e6, 0), [1]);
});
