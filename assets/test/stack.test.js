import assert from "node:assert/strict";
import { test } from "node:test";
import { stacked } from "../src/stack.js";

test("each line stands on those before it", () => {
  assert.deepEqual(
    stacked([
      [1, 2],
      [3, 4],
      [0, 1],
    ]),
    [
      [1, 2],
      [4, 6],
      [4, 7],
    ],
  );
});

test("a gap in one is a gap in all above it", () => {
  assert.deepEqual(
    stacked([
      [1, null, 1],
      [1, 1, null],
    ]),
    [
      [1, null, 1],
      [2, null, null],
    ],
  );
});

test("nothing is nothing", () => assert.deepEqual(stacked([]), []));

test("a day of 8,640 points keeps its whole", () => {
  const line = Array.from({ length: 8640 }, (_, at) => at);
  assert.deepEqual(
    stacked([line, line]).at(-1),
    line.map((value) => 2 * value),
  );
});
