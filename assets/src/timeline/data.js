/**
 * A capture as the server packs it (lib/holdup/features/captures/reader.rb), in columns that become typed
 * arrays without a copy. A row is a thread, or the holders of one GVL. Its spans fill the window from end to
 * end: where the next one begins, a span ends.
 * @typedef {object} Row
 * @property {"thread" | "holder"} kind
 * @property {string} name
 * @property {number} gvl
 * @property {Float64Array} from in ns since the window's begin
 * @property {Uint8Array} state number of one of the capture's states
 * @property {Uint32Array} unit 0 for none
 * @property {Uint32Array} [by] of holders: number of the row that held
 * @property {Uint32Array} [method] of holders: number of the method, 0 where it is not known
 * @property {[number, number][]} collections of garbage
 * @property {Unit[]} units in the order in which they began
 * @property {Float64Array} reach until when the latest of each and those before it lasts
 * @typedef {object} Unit
 * @property {number} id
 * @property {number} row
 * @property {string} name
 * @property {number} from
 * @property {number} to
 * @property {string} [look] colour of its name
 * @typedef {object} Capture
 * @property {number} length in ns
 * @property {string[]} states
 * @property {string[]} methods
 * @property {Row[]} rows
 * @property {Map<number, Unit>} units by id
 */

const VERSION = 1;
const ALIGNED = 8;

/**
 * @param {ArrayBuffer} buffer
 * @returns {Capture}
 */
export function decode(buffer) {
  const [version, bytes] = new Uint32Array(buffer, 0, 2);
  if (version !== VERSION) throw new Error(`layout ${version}`);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, bytes)));
  const take = columns(buffer, 8 + bytes);
  const threads = head.lanes.map((lane) => ({
    ...lane,
    kind: "thread",
    from: take(Float64Array, lane.count),
    unit: take(Uint32Array, lane.count),
    state: take(Uint8Array, lane.count),
  }));
  const first = head.gvls.length;
  const holders = head.gvls.map((gvl) => holder(gvl, take, head, first));
  return withUnits(
    { length: head.length_ns, states: head.states, methods: head.methods, rows: [...holders, ...threads] },
    head.units,
    first,
  );
}

/**
 * What has no name of its own is called in the page's language.
 * @param {Capture} capture
 * @param {{unfinished: string, unnamed: string}} words
 */
export function name(capture, words) {
  for (const unit of capture.units.values()) unit.name = (unit.name ?? words.unfinished) || words.unnamed;
}

function columns(buffer, begin) {
  let at = begin;
  return (Kind, count) => {
    at += -at & (ALIGNED - 1);
    const column = new Kind(buffer, at, count);
    at += column.byteLength;
    return column;
  };
}

/** Holders with the gaps between them, in which no thread held the GVL: spans like those of a thread. */
function holder({ number, count }, take, head, first) {
  const from = take(Float64Array, count);
  const to = take(Float64Array, count);
  const [lane, unit, method] = [0, 1, 2].map(() => take(Uint32Array, count));
  const row = {
    kind: "holder",
    name: "",
    gvl: number,
    collections: [],
    from: new Float64Array(2 * count + 1),
    state: new Uint8Array(2 * count + 1),
    unit: new Uint32Array(2 * count + 1),
    by: new Uint32Array(2 * count + 1),
    method: new Uint32Array(2 * count + 1),
  };
  row.state.fill(head.states.indexOf("absent"));
  for (let at = 0; at < count; at++) {
    const own = 2 * at + 1;
    row.from[own] = from[at];
    row.from[own + 1] = to[at];
    row.state[own] = head.states.indexOf("running");
    row.unit[own] = unit[at];
    row.method[own] = method[at];
    row.by[own] = lane[at] + first;
  }
  return row;
}

function withUnits(capture, units, first) {
  const known = units.map(([id, lane, name, from, to]) => ({ id, row: lane + first, name, from, to }));
  capture.rows.forEach((row) => (row.units = []));
  known.forEach((unit) => capture.rows[unit.row].units.push(unit));
  capture.rows.forEach((row) => (row.reach = reach(row.units)));
  capture.units = new Map(known.map((unit) => [unit.id, unit]));
  return capture;
}

function reach(units) {
  let latest = 0;
  return Float64Array.from(units, (unit) => (latest = Math.max(latest, unit.to)));
}
