# frozen_string_literal: true

module Holdup
  class Web
    module Locales
      # Sentences of charts and of live pages.
      CHARTS_EN = {
        over_time: "Over time", as_table: "The same as a table", moment: "from", over_time_note: "One row for each %<step>s. Queued and stalled are means of a unit; GVL is of all that ran.",
        chart_shares: "Share of elapsed time by state", chart_rate: "Units per second", chart_wall: "Elapsed time of a unit", chart_waits: "Queued and stalled, mean of a unit",
        chart_heat: "How elapsed times are spread", chart_most: "most of them up to",
        chart_gvl: "GVL held, of the time that there was", chart_busy: "85 %: above it waits grow steeply",
        mean_of: "%<what>s, mean", share_of: "%<what>s, share", gvl_of: "GVL %<group>s",
        chart_keys: "Arrow keys go from point to point, Home and End to the ends.", chart_failed: "The chart could not be read. The table below has the figures.",
        live: "Refreshed every 10 s.", live_pause: "Pause", live_resume: "Go on", live_failed: "The last refresh failed; it is tried again."
      }.freeze
    end
  end
end
