import assert from "node:assert/strict";
import { test } from "node:test";
import { tellers } from "../src/format.js";

test("durations have three digits and the unit that fits", () => {
  const { ns } = tellers("en");
  const told = { 0: "0", 999: "999 ns", 1500: "1.5 us", 999_900: "1 ms", 34_200_000: "34.2 ms", 61_500_000_000: "61.5 s", 7_200_000_000_000: "2 h" };
  for (const [value, text] of Object.entries(told)) assert.equal(ns(Number(value)), text);
});

test("what was not measured is no zero", () => {
  for (const tell of Object.values(tellers("ja"))) assert.equal(tell(null), "-");
});

test("shares, rates, counts and bytes", () => {
  const { share, rate, count, bytes } = tellers("en");
  assert.deepEqual([share(0.1234), share(1), rate(12.345), rate(12345.6), count(1234567)], ["12.3 %", "100 %", "12.3", "12,346", "1,234,567"]);
  assert.deepEqual([0, 1500, 2_340_000].map(bytes), ["0 B", "1.5 kB", "2.34 MB"]);
});

test("numbers are written as the language has them", () => {
  assert.equal(tellers("de").share(0.1234), "12,3 %");
});
