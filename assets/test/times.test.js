import assert from "node:assert/strict";
import { test } from "node:test";
import { clocks } from "../src/times.js";

const NOON = Date.UTC(2026, 10, 21, 12, 3, 4) / 1000;

test("a moment is shown in the viewer's zone", () => {
  assert.match(clocks("en", "UTC").moment(NOON), /Nov 21, 2026.*12:03/);
  assert.match(clocks("ja", "Asia/Tokyo").moment(NOON), /2026.*21.*21:03/);
  assert.match(clocks("en", "Asia/Tokyo").second(NOON), /Nov 21, 2026.*21:03:04/);
});

test("an axis has the day where it changes, and seconds only where steps are short", () => {
  const clock = clocks("en", "UTC");
  assert.deepEqual(clock.axis([NOON, NOON + 60], 60), ["12:03", "12:04"]);
  assert.deepEqual(clock.axis([NOON, NOON + 10], 10), ["12:03:04", "12:03:14"]);
  assert.deepEqual(clock.axis([NOON, NOON + 43_200], 43_200), ["12:03", "Nov 22 00:03"]);
  assert.deepEqual(clock.axis([NOON], 86_400), ["Nov 21"]);
});
