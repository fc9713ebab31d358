import assert from "node:assert/strict";
import { test } from "node:test";
import { readFileSync } from "node:fs";
import { formatters, separator } from "../src/format.js";

/** What the server says of the same values, see test/holdup/web/figures_test.rb. */
const SERVERS = JSON.parse(readFileSync(new URL("figures.json", import.meta.url), "utf8"));

for (const language of ["en", "ja"]) {
  test(`figures are the server's, in ${language}`, () => {
    const format = formatters(language);
    for (const [unit, values] of Object.entries(SERVERS))
      for (const [value, text] of values) assert.equal(format[unit](value), text, `${unit} ${value}`);
  });
}

test("axes do without zeros at the end", () => {
  const { ns, share, rate, bytes } = formatters("en", { short: true });
  assert.deepEqual(
    [ns(999_900), ns(1500), ns(7_200_000_000_000), share(0.5), rate(2), bytes(1500)],
    ["1 ms", "1.5 us", "2 h", "50 %", "2", "1.5 kB"],
  );
});

test("labels of an axis are as far apart as they are drawn", () => {
  const { share, rate, ns } = formatters("en", { short: true });
  assert.deepEqual([0, 0.025, 0.05, 0.0025, 12.5].map(rate), ["0", "0.025", "0.05", "0.0025", "12.5"]);
  assert.deepEqual([0, 0.0025, 0.0002].map(share), ["0 %", "0.25 %", "0.02 %"]);
  assert.equal(ns(1_250_000), "1.25 ms");
});

test("what was not measured is no zero", () => {
  for (const format of Object.values(formatters("ja"))) assert.equal(format(null), "-");
});

test("numbers are written as the language has them", () => {
  assert.equal(formatters("de").share(0.1234), "12,3 %");
});

test("a list has the comma of its language", () => {
  assert.equal(separator("en"), ", ");
  assert.equal(separator("ja"), "、");
});
