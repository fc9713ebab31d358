import assert from "node:assert/strict";
import { test } from "node:test";
import { clocks } from "../src/times.js";

const NOON = Date.UTC(2026, 10, 21, 12, 3, 4) / 1000;

test("a moment is shown in the viewer's zone", () => {
  assert.match(clocks("en", "UTC").moment(NOON), /Nov 21, 2026.*12:03/);
  assert.match(clocks("ja", "Asia/Tokyo").moment(NOON), /2026.*21.*21:03/);
  assert.match(clocks("en", "Asia/Tokyo").second(NOON), /Nov 21, 2026.*21:03:04/);
});

test("a title has no more of a date than is needed", () => {
  const clock = clocks("en", "UTC");
  assert.equal(clock.brief(NOON, NOON + 3600), "12:03");
  assert.match(clock.brief(NOON, NOON + 86_400), /^Nov 21, 12:03$/);
  assert.equal(clock.brief(NOON, NOON + 365 * 86_400), clock.moment(NOON));
  assert.equal(clock.brief(NOON, NOON + 3600, 10), "12:03:04");
  assert.match(clock.brief(NOON, NOON + 86_400, 10), /^Nov 21, 12:03:04$/);
  assert.equal(clocks("ja", "Asia/Tokyo").brief(NOON, NOON + 86_400), "11月21日 21:03");
});

test("an axis has the day where it changes, and seconds only where steps are short", () => {
  const clock = clocks("en", "UTC");
  assert.deepEqual(clock.axis([NOON, NOON + 60], 60), ["12:03", "12:04"]);
  assert.deepEqual(clock.axis([NOON, NOON + 10], 10), ["12:03:04", "12:03:14"]);
  assert.deepEqual(clock.axis([NOON, NOON + 43_200], 43_200), ["12:03", "Nov 22 00:03"]);
  assert.deepEqual(clock.axis([NOON], 86_400), ["Nov 21"]);
});
