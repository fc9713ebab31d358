import assert from "node:assert/strict";
import { test } from "node:test";
import { lonely } from "../src/gaps.js";

test("only what has no neighbour stands alone", () => {
  assert.deepEqual(lonely([1, null, 2, 3, null, 4]), [0, 5]);
  assert.deepEqual(lonely([null, null]), []);
});
