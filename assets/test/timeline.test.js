import assert from "node:assert/strict";
import { test } from "node:test";
import { decode, name } from "../src/timeline/data.js";
import { DRAWN, Levels, drawn } from "../src/timeline/levels.js";
import { HOLDERS, dress } from "../src/timeline/looks.js";
import { found } from "../src/timeline/search.js";
import { layout, rowAt } from "../src/timeline/layout.js";
import { silent } from "../src/timeline/silent.js";
import { end, first, last, longestStall, nextStall, stalled, waitedFor } from "../src/timeline/spans.js";
import { filled } from "../src/timeline/description.js";
import { keyed, showing, zoomed } from "../src/timeline/window.js";
import { packed } from "./capture.js";

/** Thread 0 holds until 90, thread 1 waits from 10 to 100: 80 for thread 0, 30 of these in another unit. */
const two = () =>
  decode(
    packed({
      length: 200,
      lanes: [
        {
          name: "srv 1",
          spans: [
            [0, "running", 1],
            [60, "running", 2],
            [90, "io", 0],
          ],
        },
        {
          name: "srv 2",
          spans: [
            [0, "io", 3],
            [10, "stalled", 3],
            [100, "running", 3],
            [120, "absent"],
          ],
        },
      ],
      units: [
        [1, 0, "GET /hog", 0, 60],
        [2, 0, "GET /other", 60, 90],
        [3, 1, "GET /light", 0, 120],
      ],
      holders: [
        [0, 60, 0, 1, 1],
        [60, 90, 0, 2],
        [100, 120, 1, 3],
      ],
      methods: [null, "Report#crunch"],
    }),
  );

test("spans fill the window, of holders too", () => {
  const capture = two();
  assert.deepEqual(
    capture.rows.map((row) => row.name),
    ["", "srv 1", "srv 2"],
  );
  for (const row of capture.rows)
    assert.equal(
      [...row.from.keys()].reduce((sum, at) => sum + end(capture, row, at) - row.from[at], 0),
      200,
    );
  assert.equal(
    [...capture.rows[0].from.keys()]
      .filter((at) => capture.states[capture.rows[0].state[at]] === "running")
      .reduce((sum, at) => sum + end(capture, capture.rows[0], at) - capture.rows[0].from[at], 0),
    110,
  );
});

test("who held while a thread waited, and for how long no thread", () => {
  const capture = two();
  const row = capture.rows[2];
  const { held, handoff } = waitedFor(capture, row, 1);
  assert.deepEqual(
    held.map(({ by, unit, method, ns, from }) => [by, unit, method, ns, from]),
    [
      [1, 1, 1, 50, 10],
      [1, 2, 0, 30, 60],
    ],
  );
  assert.equal(handoff, 10);
  assert.deepEqual(
    [
      stalled(capture, row, 1),
      nextStall(capture, row, -1, 1),
      nextStall(capture, row, 1, 1),
      nextStall(capture, row, 3, -1),
      longestStall(capture, row, 0, 120),
    ],
    [true, 1, undefined, 1, 10],
  );
});

test("places in what is sorted", () => {
  assert.deepEqual(
    [0, 5, 10, 25, 99].map((value) => last([0, 10, 20], value)),
    [0, 0, 1, 2, 2],
  );
  assert.deepEqual(
    [
      [5, [10, 20]],
      [10, [10, 20]],
      [30, [10, 20]],
      [1, []],
    ].map(([value, sorted]) => first(sorted, value)),
    [0, 1, 2, 1],
  );
});

test("columns of any part add up to what the spans say, whatever level they come from", () => {
  let at = 0;
  let seed = 7;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  const spans = Array.from({ length: 50_000 }, () => [
    (at += Math.ceil(random() * 1000)) - 1,
    ["running", "stalled", "io", "sleep", "lock"][Math.floor(random() * 5)],
    1,
  ]);
  spans[0][0] = 0;
  const capture = decode(packed({ length: at + 500, lanes: [{ name: "t", spans }] }));
  const levels = new Levels(capture.rows[1], drawn(capture, capture.rows[1]), capture.length);
  for (const [from, to, within] of [
    [0, capture.length, 1e-3],
    [1000, capture.length / 3, 1e-2],
    [5e5, 5e5 + 1000, 1e-6],
  ]) {
    const sums = levels.over({ from, to }, 400);
    const expected = Array(DRAWN.length).fill(0);
    spans.forEach(([begin, state], number) => {
      const ns = Math.min(to, spans[number + 1]?.[0] ?? capture.length) - Math.max(from, begin);
      if (ns > 0) expected[DRAWN.indexOf(state === "running" ? "cpu" : state)] += ns;
    });
    expected.forEach((ns, own) =>
      assert.ok(
        Math.abs(
          [...sums].filter((_, place) => place % DRAWN.length === own).reduce((sum, one) => sum + one, 0) -
            ns,
        ) <=
          within * (to - from),
        `${from} to ${to}: ${DRAWN[own]}`,
      ),
    );
  }
});

test("a thread that is idle outside of requests and jobs is blank", () => {
  const spans = [
    [0, "io", 0],
    [50, "io", 1],
    [80, "sleep", 0],
    [90, "stalled", 0],
  ];
  const capture = decode(packed({ length: 100, lanes: [{ name: "t", spans }] }));
  const { of } = drawn(capture, capture.rows[1]);
  assert.deepEqual([...of], [-1, DRAWN.indexOf("io"), -1, DRAWN.indexOf("stalled")]);
});

test("who held looks like its name: those that held longest differ, and no state looks so", () => {
  const capture = two();
  assert.deepEqual(dress(capture), [
    { look: "name-1", name: "GET /hog" },
    { look: "name-2", name: "GET /other" },
    { look: "name-3", name: "GET /light" },
    { look: "nobody" },
  ]);
  const { kinds, of } = drawn(capture, capture.rows[0]);
  assert.deepEqual(
    [...of].map((own) => kinds[own]),
    [undefined, "name-1", undefined, "name-2", undefined, "name-3", undefined],
  );
  assert.deepEqual(
    DRAWN.filter((state) => HOLDERS.includes(state)),
    [],
  );
});

test("names after the fifth look alike, and what ran outside of requests has a look of its own", () => {
  const lanes = [{ name: "t", spans: [[0, "running", 0]] }];
  const units = Array.from({ length: 7 }, (_, at) => [at + 1, 0, `GET /${at}`, at * 10, at * 10 + 7 - at]);
  const holders = [...units.map(([id, , , from, to]) => [from, to, 0, id]), [80, 90, 0, 0]];
  const capture = decode(packed({ length: 100, lanes, units, holders }));
  assert.deepEqual(
    dress(capture).map(({ look }) => look),
    [...HOLDERS],
  );
  const { kinds, of } = drawn(capture, capture.rows[0]);
  assert.deepEqual(
    [...of].filter((own) => own >= 0).map((own) => kinds[own]),
    ["name-1", "name-2", "name-3", "name-4", "name-5", "others", "others", "nobody"],
  );
});

test("threads without requests and jobs that hardly had the GVL are folded", () => {
  const idle = [[0, "sleep", 0]];
  const lanes = [
    { name: "srv", spans: idle },
    { name: "reaper", spans: [...idle, [40, "running", 0], [44, "sleep", 0]] },
    { name: "busy", spans: [...idle, [50, "running", 0], [56, "sleep", 0]] },
  ];
  const capture = decode(packed({ length: 100, lanes, units: [[1, 0, "GET /", 10, 20]] }));
  const folded = silent(capture);
  assert.deepEqual([...folded], [2]);
  const { places, height } = layout(capture, 1000, folded);
  assert.equal(places[2], undefined);
  assert.ok(height < layout(capture, 1000).height);
  assert.equal(rowAt({ places }, places[3].top), 3);
});

test("closer, further away and along, never beyond the capture", () => {
  assert.deepEqual(zoomed({ from: 0, to: 8e6 }, 2, 4e6, 8e6), { from: 2e6, to: 6e6 });
  assert.deepEqual(zoomed({ from: 2e6, to: 6e6 }, 0.1, 4e6, 8e6), { from: 0, to: 8e6 });
  assert.deepEqual(
    zoomed({ from: 0, to: 8e6 }, 1e9, 4e6, 8e6).to - zoomed({ from: 0, to: 8e6 }, 1e9, 4e6, 8e6).from,
    1000,
  );
  const part = { from: 2e6, to: 4e6 };
  assert.deepEqual(
    ["Home", "End", "0", "PageDown"].map((key) => keyed(key, part, 3e6, 8e6)),
    [
      { from: 0, to: 2e6 },
      { from: 6e6, to: 8e6 },
      { from: 0, to: 8e6 },
      { from: 4e6, to: 6e6 },
    ],
  );
  assert.equal(keyed("Tab", part, 3e6, 8e6), undefined);
  assert.equal(showing(part, 2.5e6, 3e6, 8e6), part);
  assert.deepEqual(showing(part, 6e6, 7e6, 8e6), { from: 5.5e6, to: 7.5e6 });
});

test("units by name and number, threads, methods", () => {
  const capture = two();
  assert.deepEqual(
    found(capture, "light").map((one) => [one.kind, one.unit, one.row]),
    [["unit", 3, 2]],
  );
  assert.deepEqual(
    found(capture, "#2").map((one) => one.unit),
    [2],
  );
  assert.deepEqual(
    found(capture, "SRV").map((one) => one.name),
    ["srv 1", "srv 2"],
  );
  assert.deepEqual(
    found(capture, "crunch").map((one) => [one.kind, one.row, one.time]),
    [["method", 1, 0]],
  );
  assert.deepEqual(found(capture, " "), []);
});

test("sentences take what they name", () =>
  assert.equal(filled("%{who} %{state}", { who: "srv 1", state: "waits" }), "srv 1 waits"));

test("what has no name is called in the page's language", () => {
  const units = [
    [1, 0, "GET /", 10, 20],
    [2, 0, null, 30, 40],
    [3, 0, "", 50, 60],
  ];
  const capture = decode(packed({ length: 100, lanes: [{ name: "t", spans: [] }], units }));
  name(capture, { unfinished: "未終了", unnamed: "名前なし" });
  assert.deepEqual(
    [...capture.units.values()].map((unit) => unit.name),
    ["GET /", "未終了", "名前なし"],
  );
});
