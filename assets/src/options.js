import uPlot from "uplot";
import { alone, around, lonely } from "./gaps.js";
import { heat, reach } from "./heat.js";
import { PALETTE, dashes } from "./lines.js";
import { BAND, LOW, overlays } from "./overlays.js";
import { fill } from "./patterns.js";
import { stacked } from "./stack.js";
import { colour } from "./theme.js";
import { logTicks } from "./ticks.js";

const HEIGHT = 210;
/** What the axes take of it: below, ticks and one line of labels, or ticks only. */
const BELOW = 34;
const BARE = 8;
const BESIDE = 70;
/** Above the plot of a low chart, for half of a label; uPlot's own gap would take half of its height. */
const ABOVE = 8;
/** Right of the end of the x axis: half of its last label. */
const BEYOND = 30;
/** Between two labels beside each other, at least. */
const SPACE = 70;
/** Charts over time move their cursors together. */
const TOGETHER = "holdup";

/**
 * @param {import("./plot.js").Chart} chart
 * @returns {uPlot.AlignedData}
 */
export const data = (chart) => [
  chart.x.values,
  ...(chart.kind === "stack" ? stacked : (lines) => lines)(chart.series.map((line) => line.values)),
];

/**
 * Options of uPlot for a chart.
 * @param {import("./plot.js").Chart} chart
 * @param {object} how
 * @param {number} how.width
 * @param {Record<string, (value: number) => string>} how.ticks
 * @param {ReturnType<typeof import("./times.js").clocks>} how.clock
 * @param {boolean} how.travels whether a part that is chosen with the mouse is a page of its own
 * @returns {uPlot.Options}
 */
export function options(chart, { width, ticks, clock, travels }) {
  const timed = chart.x.unit === "time";
  return {
    width,
    height: chart.height ?? HEIGHT,
    legend: { show: false },
    padding: [above(chart), BEYOND, null, null],
    cursor: {
      y: false,
      drag: { x: true, y: false, setScale: !travels },
      ...(timed ? { sync: { key: TOGETHER } } : {}),
    },
    scales: { x: { time: timed, ...xScale(chart) }, y: yScale(chart) },
    axes: [xAxis(chart, ticks, clock), yAxis(chart, ticks)],
    series: [{}, ...chart.series.map(drawn(chart))],
    bands: chart.kind === "stack" ? bands(chart) : [],
    plugins: [overlays(chart), ...(chart.kind === "heat" ? [heat(chart)] : [])],
  };
}

function above(chart) {
  if (chart.marks?.some((mark) => mark.label)) return BAND;
  return chart.height < LOW ? ABOVE : null;
}

/** From the first value to the last; in a heat map to the end of the last cell. */
function xScale(chart) {
  if (chart.x.unit === "time" && alone(chart)) return { range: (_, only) => around(only) };
  const width = ({ x: { values } }) =>
    chart.kind === "heat" && values.length > 1 ? values[1] - values[0] : 0;
  return {
    distr: chart.x.log ? 3 : 1,
    ...(chart.x.log || width(chart) ? { range: (_, low, high) => [low, high + width(chart)] } : {}),
  };
}

const yScale = (chart) =>
  chart.kind === "heat"
    ? { distr: 3, range: () => reach(chart) }
    : { range: (_, _low, high) => [0, ceiling(chart, high)] };

/** Where a scale without values ends. */
const EMPTY = { ns: 1e6, bytes: 1e6 };

/** The scale ends at what was measured and at the limits near it, unless the chart says where it ends. */
function ceiling(chart, high) {
  if (chart.most) return chart.most;
  const near = (chart.limits ?? []).map((limit) => limit.at).filter((at) => at < (high || 0) * 3);
  return Math.max(high || 0, ...near) * 1.08 || (EMPTY[chart.unit] ?? 1);
}

/** Steps between labels of an axis of ages, in ns: what divides minutes, hours and days. */
const AGES = [1, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 43200, 86400].map(
  (seconds) => seconds * 1e9,
);

const WHOLE = [1, 2, 5, 10, 20, 50, 100, 200, 500];

function steps({ unit, log }) {
  const known = !log && { ns: AGES, count: WHOLE }[unit];
  return known ? { incrs: known } : {};
}

const axis = () => ({
  stroke: () => colour("quiet"),
  font: "12px system-ui, sans-serif",
  grid: { stroke: () => colour("line"), width: 1 },
  ticks: { stroke: () => colour("line"), width: 1 },
});

function xAxis(chart, ticks, clock) {
  const named =
    chart.x.unit === "time"
      ? (_, splits, __, ___, step) => clock.axis(splits, step)
      : (_, splits) => splits.map(ticks[chart.x.unit]);
  return {
    ...axis(),
    size: chart.bare ? BARE : BELOW,
    space: SPACE,
    ...(chart.x.log ? multiplying : {}),
    ...steps(chart.x),
    values: chart.bare ? () => [] : named,
  };
}

/** How many labels there is room for: beside each other by their width, above each other always. */
const room = (plot, axis) => (axis === 0 ? Math.floor((plot.width - BESIDE) / SPACE) : 8);

const multiplying = {
  splits: (plot, axis, low, high) => logTicks(low, high, room(plot, axis)),
  filter: (_, splits) => splits,
};

const yAxis = (chart, ticks) => ({
  ...axis(),
  size: BESIDE,
  ...(chart.kind === "heat" ? multiplying : {}),
  values: (_, splits) => splits.map(ticks[chart.unit]),
});

const stroke = (_, at) => ({
  stroke: () => colour(PALETTE[at % PALETTE.length]),
  width: 2,
  dash: dashes(at),
  points: { show: true, size: 5, filter: (plot, line) => lonely(plot.data[line]) },
});

const layer = (line) => ({
  stroke: () => colour(line.state),
  width: 1,
  fill: (plot) => fill(plot.ctx, line.state),
  points: { show: true, size: 5, filter: (plot, at) => lonely(plot.data[at]) },
});

/** A first minute has no second one that an area could go to. */
const bar = (line) => ({
  ...layer(line),
  paths: uPlot.paths.bars({ size: [0.2, 60] }),
  points: { show: false },
});

/** Each layer fills down to the one below it only. */
const bands = (chart) =>
  chart.series
    .slice(1)
    .map((line, at) => ({ series: [at + 2, at + 1], fill: (plot) => fill(plot.ctx, line.state) }));

/** Lines of a heat map are only in its legend. */
const hidden = () => ({ paths: () => null, points: { show: false } });

const DRAWN = { stack: layer, line: stroke, heat: hidden };

const drawn = (chart) => (chart.kind === "stack" && alone(chart) ? bar : DRAWN[chart.kind]);
