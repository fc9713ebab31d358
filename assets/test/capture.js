/** Makes captures as the server packs them (lib/holdup/features/captures/reader.rb). */

const STATES = ["running", "stalled", "preempted", "io", "lock", "sleep", "idle", "unknown", "absent"];

/**
 * @param {object} recorded
 * @param {number} recorded.length in ns
 * @param {{name: string, spans: [number, string, number?][]}[]} recorded.lanes
 * @param {[number, number, string, number, number][]} [recorded.units]
 * @param {[number, number, number, number, number?][]} [recorded.holders]
 * @param {string[]} [recorded.methods]
 * @returns {ArrayBuffer}
 */
export function packed({ length, lanes, units = [], holders = [], methods = [null] }) {
  const head = {
    length_ns: length,
    states: STATES,
    methods,
    units,
    gvls: [{ number: 1, count: holders.length }],
    lanes: lanes.map(({ name, spans }) => ({
      number: 1,
      name,
      gvl: 1,
      count: spans.length,
      collections: [],
    })),
  };
  const text = new TextEncoder().encode(JSON.stringify(head));
  const column = (at) => holders.map((holder) => holder[at] ?? 0);
  const columns = [
    ...lanes.flatMap(({ spans }) => [
      Float64Array.from(spans, ([from]) => from),
      Uint32Array.from(spans, ([, , unit]) => unit ?? 0),
      Uint8Array.from(spans, ([, state]) => STATES.indexOf(state)),
    ]),
    ...[0, 1].map((at) => Float64Array.from(column(at))),
    ...[2, 3, 4].map((at) => Uint32Array.from(column(at))),
  ];
  return joined([new Uint32Array([1, text.length]), text], columns);
}

function joined(head, columns) {
  const aligned = (size) => size + (-size & 7);
  const first = head.reduce((sum, part) => sum + part.byteLength, 0);
  const bytes = new Uint8Array(columns.reduce((at, column) => aligned(at) + column.byteLength, first) + 8);
  let at = 0;
  const put = (part) => {
    bytes.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), at);
    at += part.byteLength;
  };
  head.forEach(put);
  for (const column of columns) {
    at = aligned(at);
    put(column);
  }
  return bytes.buffer;
}
