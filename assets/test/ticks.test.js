import assert from "node:assert/strict";
import { test } from "node:test";
import { logTicks } from "../src/ticks.js";

test("a short axis has 1, 2 and 5", () => assert.deepEqual(logTicks(3, 120), [5, 10, 20, 50, 100]));

test("a long one has powers of ten", () => assert.deepEqual(logTicks(900, 2e6), [1e3, 1e4, 1e5, 1e6]));
