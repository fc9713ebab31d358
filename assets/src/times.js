/** Moments in the viewer's language and time zone; the server can only know its own zone. */

const MINUTE = 60;
const DAY = 86400;

/**
 * @param {string} language
 * @param {string} [zone] the viewer's, unless a test names one
 */
export function clocks(language, zone) {
  const format = (options) =>
    new Intl.DateTimeFormat(language, { timeZone: zone, hourCycle: "h23", ...options });
  const hour = { hour: "2-digit", minute: "2-digit" };
  const day = { month: "short", day: "numeric" };
  const toSecond = { ...hour, second: "2-digit" };
  const year = { year: "numeric", ...day };
  const [short, clock, date, dated, datedClock, full, exact] = [
    hour,
    toSecond,
    day,
    { ...day, ...hour },
    { ...day, ...toSecond },
    { ...year, ...hour },
    { ...year, ...toSecond },
  ].map(format);
  const annual = format({ year: "numeric" });
  return {
    /** @param {number} second since 1970 */
    moment: (second) => full.format(second * 1000),
    /**
     * In a title: without the day if that is today, and without the year if it is this year.
     * @param {number} second since 1970
     * @param {number} [now] likewise
     * @param {number} [step] seconds between two moments; short ones need their seconds
     */
    brief(second, now = Date.now() / 1000, step = MINUTE) {
      const same = (shape) => shape.format(second * 1000) === shape.format(now * 1000);
      const [anyYear, thisYear, today] = step < MINUTE ? [exact, datedClock, clock] : [full, dated, short];
      if (!same(annual)) return anyYear.format(second * 1000);
      return (same(date) ? today : thisYear).format(second * 1000);
    },
    /** @param {number} second since 1970 */
    second: (second) => exact.format(second * 1000),
    /**
     * Labels of an axis: no more than its steps need, with the day where it changes.
     * @param {number[]} seconds
     * @param {number} step between two of them
     */
    axis(seconds, step) {
      const days = seconds.map((second) => date.format(second * 1000));
      if (step >= DAY) return days;
      const time = step < MINUTE ? clock : short;
      return seconds.map(
        (second, at) => (at && days[at] !== days[at - 1] ? `${days[at]} ` : "") + time.format(second * 1000),
      );
    },
  };
}

/**
 * Every <time datetime> below in the viewer's zone. Titles of charts have little room.
 * @param {ParentNode} root
 * @param {Pick<ReturnType<typeof clocks>, "moment" | "second" | "brief">} clock
 */
export function localize(root, clock) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const second = Date.parse(time.getAttribute("datetime")) / 1000;
    if (!Number.isFinite(second)) continue;
    if (time.closest("figcaption")) time.textContent = clock.brief(second);
    else time.textContent = "seconds" in time.dataset ? clock.second(second) : clock.moment(second);
  }
}
