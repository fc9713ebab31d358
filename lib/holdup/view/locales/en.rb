# frozen_string_literal: true

module Holdup
  module View
    module Locales
      EN = {
        title: "Holdup report",
        unit_s: "s",
        unit_min: "min",
        unit_h: "h",
        unit_d: "d",
        list_separator: ", ",
        span: "%<from>s to %<to>s %<zone>s",
        kind_request: "requests", kind_job: "jobs", kind_unit: "units",
        kind_request_one: "request",
        kind_job_one: "job",
        kind_unit_one: "unit",
        unknown_value: "unknown",
        volume: "%<count>s %<units>s in %<measured>s[[, %<rate>s per second]], %<errors>s {errors:error|errors} (%<error_share>s)",
        costs: "Each stalled %<stall>s (%<acquisition>s for each of %<acquisitions>s {acquisitions:GVL acquisition|GVL acquisitions}), spent %<gc>s in GC" \
          "[[; the longest hold was %<hold>s]]",
        costs_in_one_hold: "Each stalled %<stall>s (most ran without having to take the GVL), spent %<gc>s in GC[[; the longest hold was %<hold>s]]",

        verdict_no_data: "No %<units>s were measured in this time. Run `holdup doctor` to see what is missing.",
        verdict_one_cause: "%<cause>s, which is %<count_share>s of all units, caused %<share>s of the time that threads " \
          "stalled on the GVL. The %<units>s spent %<stalled_share>s of their time stalled.",
        verdict_account_cause: "The thread \"%<cause>s\", which runs outside requests and jobs, caused %<share>s of the time " \
          "that threads stalled on the GVL. The %<units>s spent %<stalled_share>s of their time stalled.",
        verdict_spread: "The %<units>s spent %<stalled_share>s of their time stalled on the GVL, and no single one is to blame: " \
          "%<cause>s caused the most, %<share>s.",
        verdict_handoff: "The %<units>s spent %<stalled_share>s of their time stalled on the GVL, and for %<share>s of the " \
          "stall nobody held it, while it went from thread to thread. Possible causes: very short holds, or no free CPU for the thread that wakes up.",
        verdict_starved: "The %<units>s spent %<share>s of their time holding the GVL without a CPU. Possible causes: more busy " \
          "processes than CPUs, a CPU quota, pages read from a disk, or C code that blocks while it holds the GVL.",
        verdict_lock: "The GVL is not the problem: the %<units>s spent %<share>s of their time waiting for locks " \
          "(Mutex, Queue, condition variable) and %<stalled_share>s stalled.",
        verdict_sleep: "The GVL is not the problem: the %<units>s spent %<share>s of their time parked (sleep, timed waits " \
          "such as a connection pool's) and %<stalled_share>s stalled.",
        verdict_native: "The GVL is not the problem: the %<units>s spent %<share>s of their time computing in native code without it and %<stalled_share>s stalled. More threads would share the same CPUs.",
        verdict_io: "The %<units>s mostly wait for io (%<share>s of their time) and hardly stall on the GVL (%<stalled_share>s).",
        verdict_cpu: "The %<units>s mostly compute (%<share>s of their time on a CPU) and hardly stall on the GVL (%<stalled_share>s).",
        verdict_calm: "The %<units>s hardly stall on the GVL (%<stalled_share>s of their time), and no other kind of waiting stands out.",

        remark_uncollected: "%<count>s {count:request or job that has ended is|requests and jobs that have ended are} not in these figures yet: the collector last read them %<ago>s ago. `holdup report --fresh` waits for its next round.",
        remark_uncollected_first: "%<count>s {count:request or job that has ended is|requests and jobs that have ended are} not in these figures yet: {count:it waits|they wait} for the first round of the collector. `holdup report --fresh` waits for it.",
        remark_uncollected_nobody: "%<count>s {count:request or job that has ended is|requests and jobs that have ended are} not in these figures: no collector is running. `holdup report --fresh` stores {count:it|them}.",
        remark_few: "Few %<units>s (%<count>s): the high percentiles are single cases.",
        remark_short: "Measurements are kept by the minute: over so short a time, the throughput is a lower bound.",
        remark_applications: "Units of %<count>s {count:application|applications} are in these figures (%<apps>s), so they are no one's. Choose one: --app NAME, on a page the field Application.",
        remark_settings: "%<count>s {count:setting is|settings are} mixed here (a deploy, other threads or JIT); `holdup report --by setting` tells them apart.",
        remark_starved: "For %<share>s of the time that the GVL was held, its holder was on no CPU. Possible causes: too few free CPUs, a CPU quota, pages read from a disk, or C code that blocks while it holds the GVL.",
        remark_overflow: "%<count>s {count:unit|units} found the table of names full and {count:is|are} in \"(series beyond the limit)\"; " \
          "raise series_limit or name units without ids.",
        more_rows: "... and %<count>s more (--limit)",
        more_units: "... %<count>s more",
        more_threads: "... %<count>s {count:more thread|more threads}",

        states: "Where the time goes",
        state: "state", share: "share", sum: "sum",
        state_cpu: "cpu", state_starved: "starved", state_stalled: "stalled", state_io: "io", state_lock: "lock",
        state_sleep: "sleep", state_native: "native",
        meaning_cpu: "has the GVL, runs on a CPU",
        meaning_starved: "has the GVL, but no CPU",
        meaning_stalled: "wants the GVL, others have it",
        meaning_io: "waits for a socket, file or process",
        meaning_lock: "waits for a Mutex, Queue or thread",
        meaning_sleep: "sleeps, or waits with a time limit",
        meaning_native: "computes without the GVL",

        causes: "Who caused the stall, who suffered it",
        causes_note: "Caused: time that others stalled while this held the GVL. Suffered: its own stall. Both columns cover all " \
          "threads of the processes and have the same total.",
        caused: "caused", suffered: "suffered", stall_per_unit: "each", stall_per_acquisition: "per acq.",
        account: "(thread) %<name>s",
        nested: "(counted twice: nested units)",
        handoff: "(hand-off: nobody held it)",
        matrix: "Caused (columns) against suffered (rows)", matrix_victim: "suffered by", matrix_rest: "others, hand-off", matrix_others: "others",
        matrix_note: "Sums of a row and of a column are measured; what is between them is estimated as in the table of pairs. The last row and the column before the last have what is left over, also of pairs of which too little is known (-).",
        makings: "What the caused stall is made of", hold_mean: "hold, mean", hold_met: "hold, as met", made_of: "made of", made_long: "long holds", made_short: "short holds",
        makings_note: "As met: the hold that somebody meets who comes at any moment, where long ones count by their length. From 10 ms on it is long holds that have to be cut or moved; below, many short ones, where fewer " \
          "acquisitions (queries, reads in small pieces) help.",
        makings_handoff: "Hand-off, while nobody held the GVL: %<share>s of all stall, %<sum>s in all[[, %<each>s for each time that it was taken]].",

        splits: "Where the time of each goes (% of its elapsed time)",
        latency: "Elapsed time and errors",
        averages: "Means per unit",
        averages_note: "io %: idle against running and idle, as perfm computes it; idle is more than io (see the states " \
          "above). io+st: idle and stalled against everything.",
        holds: "Queueing and use of the GVL, per unit",
        distributions: "All together",
        slices: "Means of slices",
        slices_of: "Means of slices: %<name>s",
        slices_note: "Each column is sliced by its own values: stalled p90-99 is of the units that stalled most.",
        band: "slice",
        amdahl: "Amdahl's law for io %% = %<share>s",
        amdahl_note: "Known to be wrong: it splits one request over N threads and knows no waiting. Its usual rule (stop below " \
          "+5 %%) ends at %<threads>s {threads:thread|threads}. Do not size by it.",
        threads: "threads", speed_up: "speed-up", gain: "gained",
        settings: "Settings",
        settings_shared: "all: %<facts>s",

        by_name: "name", by_setting: "setting", by_process: "process", by_queue: "queue", by_priority: "priority",
        all: "all", units: "units", errors: "errors", per_unit: "per unit", mean: "mean", max: "max",
        histogram_wall: "elapsed", histogram_running: "running", histogram_stalled: "stalled", histogram_idle: "idle",
        histogram_queued: "queued", histogram_longest_hold: "longest hold",
        queued_unknown: "Queued is unknown: no proxy sends X-Request-Start. `holdup doctor` says how to have it.",
        average_wall: "elapsed", average_running: "running", average_idle: "idle", average_stalled: "stalled",
        average_gc: "gc", io_percent: "io %", io_stall_percent: "io+st",
        queued_p50: "que. p50", queued_p95: "que. p95", hold_p95: "hold p95", hold_max: "hold max",
        acquisitions_each: "acq.", preemptions_each: "preempt", cpu_each: "cpu"
      }.freeze
    end
  end
end
