import assert from "node:assert/strict";
import { test } from "node:test";
import { beside, meets } from "../src/labels.js";

const EDGES = { left: 0, right: 100, top: 0, bottom: 100 };

test("a label stands right of its dot, above or below", () => {
  assert.deepEqual(beside({ x: 20, y: 50 }, 30, EDGES), { align: "left", x: 28, y: 44 });
  assert.deepEqual(beside({ x: 20, y: 50 }, 30, EDGES, { below: true }), { align: "left", x: 28, y: 66 });
});

test("at the right edge it stands left of the dot", () => {
  assert.deepEqual(beside({ x: 95, y: 50 }, 30, EDGES), { align: "right", x: 87, y: 44 });
});

test("where neither side has room it stands above the dot, at the right edge or from the left one on", () => {
  assert.deepEqual(beside({ x: 50, y: 50 }, 90, EDGES), { align: "left", x: 10, y: 40 });
  assert.equal(beside({ x: 50, y: 50 }, 120, EDGES).x, 0);
});

test("at the upper and the lower edge it stands on the other side", () => {
  assert.equal(beside({ x: 20, y: 3 }, 30, EDGES).y, 19);
  assert.equal(beside({ x: 20, y: 97 }, 30, EDGES, { below: true }).y, 91);
});

test("a screen with more pixels has everything larger", () => {
  assert.deepEqual(beside({ x: 20, y: 50 }, 30, EDGES, { ratio: 2 }), { align: "left", x: 36, y: 38 });
});

test("a label meets a flag that is over it, not one beside it or above its letters", () => {
  const flag = [{ left: 60, right: 90, bottom: 20 }];
  assert.equal(meets({ align: "left", x: 50, y: 28 }, 30, flag), true);
  assert.equal(meets({ align: "left", x: 20, y: 28 }, 30, flag), false);
  assert.equal(meets({ align: "left", x: 50, y: 29 }, 30, flag), false);
  assert.equal(meets({ align: "right", x: 75, y: 10 }, 30, flag), true);
  assert.equal(meets({ align: "left", x: 50, y: 30 }, 30, flag, 2), true);
});
