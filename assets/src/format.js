/**
 * Numbers as people read them in the language of the page: three digits and the unit that fits, as the server's tables have
 * them. Unit names are the same in every language.
 */

const DURATIONS = [[1e3, 1, "ns"], [1e6, 1e3, "us"], [1e9, 1e6, "ms"], [6e11, 1e9, "s"], [7.2e12, 6e10, "min"], [2.592e14, 3.6e12, "h"], [Infinity, 8.64e13, "d"]];
const BYTES = [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "B"]];
const NONE = "-";

/**
 * @typedef {"ns" | "share" | "rate" | "count" | "bytes"} Unit
 * @typedef {(value: number | null | undefined) => string} Teller
 */

/**
 * @param {string} language
 * @returns {Record<Unit, Teller>} how values of each unit are told
 */
export function tellers(language) {
  const digits = new Intl.NumberFormat(language, { maximumSignificantDigits: 3 });
  const whole = new Intl.NumberFormat(language, { maximumFractionDigits: 0 });
  const tenths = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
  const three = (value) => (Math.abs(value) >= 1000 ? whole : digits).format(value);
  const told = (tell) => (value) => (value === null || value === undefined ? NONE : tell(value));
  return {
    ns: told((value) => duration(value, three)),
    share: told((value) => `${tenths.format(value * 100)} %`),
    rate: told(three),
    count: told((value) => whole.format(value)),
    bytes: told((value) => bytes(value, three)),
  };
}

function duration(ns, three) {
  if (Math.abs(ns) < 0.5) return "0";
  const [, size, name] = DURATIONS.find(([limit]) => Math.abs(ns) < limit * 0.9995);
  return `${three(ns / size)} ${name}`;
}

function bytes(value, three) {
  const [size, name] = BYTES.find(([least]) => value >= least) ?? BYTES.at(-1);
  return `${three(value / size)} ${name}`;
}
