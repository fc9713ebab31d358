# frozen_string_literal: true

module Holdup
  module View
    module Locales
      # Sentences of charts and of live pages.
      CHARTS_EN = {
        chart_part: "The charts show %<span>s, the part of this span that has data.", chart_part_link: "Show the whole span",
        chart_whole: "There is data of %<span>s only.", chart_whole_link: "Show only that part",
        over_time: "Over time", as_table: "The same as a table", moment: "from", over_time_note: "One row for each %<step>s. Queued and stalled are means of a unit; GVL is of all that ran.",
        chart_shares: "Share of elapsed time by state", chart_rate: "Units per second", chart_wall: "Elapsed time of a unit", chart_waits: "Queued and stalled, mean of a unit",
        chart_heat: "How %<what>s {what:time is|times are} spread (darker: more units)", chart_most: "most of them up to",
        chart_gvl: "GVL held, of the time that there was", chart_steep: "85 %: above it waits grow steeply",
        chart_machine: "CPU of the container", chart_ceiling: "most that it can reach: %<range>s", chart_process_cpu: "CPU of each process, of one core",
        chart_memory: "Memory (RSS) of each process", chart_busy: "Threads at work in each process", chart_gc: "Time in GC of each process",
        column_process_cpu: "CPU, of one core", column_memory: "RSS", column_busy: "threads at work", column_gc: "in GC",
        chart_by_age: "By the age of a process", age: "age", chart_warm_up: "Instructions still interpreted, for each unit", chart_compiled: "Methods and blocks compiled",
        chart_jit_memory: "Memory of the JIT",
        candidates_most: "Most units per second, by threads of a process", candidates_p95: "p95 of a unit, by threads", candidates_wait: "Queued and stalled, mean of a unit, by threads",
        candidates_note: "Dashed: where Amdahl's law and the rule of +5 % end. Crossed out: a guard rejects it, see the table.",
        candidates_line: "processes: %<count>s", candidates_now: "now", candidates_best: "advised",
        chart_speed_up: "Times as fast as one thread", chart_held: "GVL held", chart_stall: "Stall of a unit", chart_enough: "Dashed: threads that are enough.",
        model_closed: "expected", model_amdahl: "Amdahl's law", model_bound: "at best",
        chart_spread: "Share of units by %<what>s time",
        mean_of: "%<what>s, mean", percentile_of: "%<what>s, %<percentile>s", share_of: "%<what>s, share", gvl_of: "GVL %<group>s",
        chart_keys: "Arrow keys go from point to point, Home and End to the ends.", chart_failed: "The chart could not be read. The table below has the figures.",
        live: "Refreshed every 10 s.", live_pause: "Pause", live_resume: "Go on", live_failed: "The last refresh failed; it is tried again."
      }.freeze
    end
  end
end
