/**
 * Numbers in the language of the page: three digits and the unit that fits, exactly as the server's tables
 * have them (assets/test/figures.json tests both). Unit names are the same in every language.
 */

const DURATIONS = [
  [1e3, 1, "ns"],
  [1e6, 1e3, "us"],
  [1e9, 1e6, "ms"],
  [6e11, 1e9, "s"],
  [7.2e12, 6e10, "min"],
  [2.592e14, 3.6e12, "h"],
  [Infinity, 8.64e13, "d"],
];
const BYTES = [
  [1e9, "GB"],
  [1e6, "MB"],
  [1e3, "kB"],
];
const NONE = "-";
/** Below this a share, in percent, and a rate show only that there is something. */
const LEAST = { share: 0.05, rate: 0.01 };

/**
 * @typedef {"ns" | "share" | "rate" | "count" | "bytes"} Unit
 * @typedef {(value: number | null | undefined) => string} Formatter
 */

/**
 * @param {string} language
 * @param {{short?: boolean}} [how] short: without zeros at the end, for axes
 * @returns {Record<Unit, Formatter>} how values of each unit are written
 */
export function formatters(language, { short = false } = {}) {
  const number = (options) => {
    const format = new Intl.NumberFormat(language, options);
    return (value) => format.format(value);
  };
  const fixed = (digits) =>
    number({
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
      ...(digits ? { roundingMode: "halfEven" } : {}),
    });
  // Labels of an axis are in equal steps, also where a step is 0.025.
  const exact = number({ maximumSignificantDigits: 3 });
  const whole = fixed(0);
  const [tenths, hundredths] = short ? [exact, exact] : [1, 2].map(fixed);
  const three = (value) =>
    (Math.abs(value) >= 99.95 ? whole : Math.abs(value) >= 9.995 ? tenths : hundredths)(value);
  const percent = (value) => (Math.abs(value) >= 99.95 ? whole : tenths)(value);
  const faint = (value, least, limit) => (short ? undefined : little(value, least, limit));
  const shown = (format) => (value) => (value === null || value === undefined ? NONE : format(value));
  return {
    ns: shown((value) => duration(value, three)),
    share: shown((value) => `${faint(value * 100, LEAST.share, tenths(0.1)) ?? percent(value * 100)} %`),
    rate: shown((value) => faint(value, LEAST.rate, hundredths(0.01)) ?? three(value)),
    count: shown(whole),
    bytes: shown((value) => bytes(value, three, whole)),
  };
}

/** For a value that is too small for its digits. */
function little(value, least, limit) {
  if (value === 0) return "0";
  return value > 0 && value < least ? `<${limit}` : undefined;
}

function duration(ns, three) {
  if (Math.abs(ns) < 0.5) return "0";
  const [, size, name] = DURATIONS.find(([limit]) => Math.abs(ns) < limit * 0.9995);
  return `${three(ns / size)} ${name}`;
}

function bytes(value, three, whole) {
  const [size, name] = BYTES.find(([least]) => value >= least) ?? [];
  return size ? `${three(value / size)} ${name}` : `${whole(value)} B`;
}

/**
 * @param {string} language
 * @returns {string} what is between the parts of a list
 */
export const separator = (language) => (language === "ja" ? "、" : ", ");
