# frozen_string_literal: true

module Holdup
  module View
    module Locales
      # `holdup compare`.
      COMPARE_EN = {
        compare_title: "Holdup compare: %<units>s",
        compare_side: "%<side>s: %<label>s, %<count>s %<units>s",
        compare_by: "Compared are values of %<fact>s.",
        compare_by_setting: "Compared are settings that differ in more than the arm (--by arm compares arms).",
        compare_by_arm: "Compared are arms, whatever else differs in their settings.",
        compare_by_most: "Of %<count>s these two have the most %<units>s; --values chooses others.",
        compare_before: "before", compare_after: "after",

        compare_better: "Better: %<moved>s.",
        compare_worse: "Worse: %<moved>s.",
        compare_both: "Better and worse: %<moved>s.",
        compare_changed: "Changed: %<moved>s.",
        compare_none: "No difference that this data could show. It would have shown %<visible>s.",
        compare_none_relevant: "No relevant difference: %<small>s, which is there and too small to matter.",
        compare_same: "Nothing changed: both sides have the same %<figures>s.",
        compare_unknown: "Too little to tell: %<before>s and %<after>s stretches of %<block>s, and it takes %<needed>s on both sides.",
        compare_moved: "%<figure>s %<change>s (%<interval>s)",
        compare_visible: "%<figure>s from %<share>s on", compare_also: ", ",
        compare_unmoved: "No difference seen in what it would have shown for %<visible>s.",

        compare_beside_better: "Beside that, better: %<moved>s.", compare_beside_worse: "Beside that, worse: %<moved>s.",

        compare_cause_same: "Nothing differs in what is recorded of the settings: what changed comes from traffic, data, neighbours or chance.",
        compare_cause_one: "Of what is recorded, only %<subject>s differs. Traffic and data may differ as well, for these were different times.",
        compare_cause_one_together: "Of what is recorded, only %<subject>s differs, and both ran at the same time: a difference that is found can be put down to it.",
        compare_cause_many: "%<count>s {count:thing differs|things differ} (%<subjects>s): nobody can tell which of them did what changed.",
        compare_cause_mixed: "One side has several settings itself: what did what changed can't be told.",

        compare_mix: "Another mix of endpoints alone would have made %<change>s of the mean elapsed time; the figures leave that out.",
        compare_left_out: "Left out are %<before>s of the units before and %<after>s after, whose endpoints the other side has none of.",
        compare_boots_unknown: "Nothing tells when processes began: warm-up is in these figures.",
        compare_all_cold: "All units of %<side>s are of the first two minutes of their processes: if nothing warmed them up before, warm-up is in these figures.",
        compare_few_processes: "There are %<before>s and %<after>s processes. What differs from one boot to the next is not in the intervals.",
        compare_short_blocks: "Intervals come from stretches of %<block>s: swings of the load that last longer are not in them.",
        compare_few_blocks: "Intervals come from %<before>s and %<after>s stretches of %<block>s. Under a steady load, such as a load generator's, they hold what they promise. " \
          "Where the load of each minute is like that of the minute before, swings last longer, and only about %<held>s %% of such intervals held the truth: " \
          "compare hours, or two groups at the same time.",
        compare_other_times: "Two groups at the same time would show smaller differences than two times do.",

        compare_settings: "What differs in the settings", compare_fact: "fact",
        compare_figures: "The figures, each endpoint counted as often as before", compare_figure: "figure",
        compare_difference: "difference", compare_interval: "95 % interval", compare_mark_better: "better", compare_mark_worse: "WORSE", compare_mark_same: "same", compare_mark_irrelevant: "too small",
        compare_wall_p50: "wall p50", compare_wall_p90: "wall p90", compare_wall_p95: "wall p95", compare_wall_p99: "wall p99", compare_wall_mean: "wall, mean",
        compare_wait_p50: "queued + stalled p50", compare_wait_p90: "queued + stalled p90", compare_wait_p95: "queued + stalled p95",
        compare_wait_p99: "queued + stalled p99", compare_wait_mean: "queued + stalled, mean", compare_stalled_mean: "stalled, mean", compare_stalled_p99: "stalled p99",
        compare_cpu_unit: "CPU of each unit", compare_cpu_process: "CPU of all / units", compare_cpu_share: "CPU %",
        compare_pss: "PSS of a process", compare_uss: "USS of a process", compare_gc_unit: "GC in each unit", compare_errors: "errors", compare_throughput: "units/s",
        compare_figures_note: "Percentiles are of merged histograms. Intervals come from %<before>s and %<after>s stretches of %<block>s, each with all hosts and processes, " \
          "drawn anew 200 times. units/s and CPU of all / units are as they were mixed.",
        compare_irrelevant_note: "too small: a difference that is there for sure and matters to nobody: below 1 %, or below 20 us of elapsed or waiting time, " \
          "5 us of CPU or GC, 1 MB.",
        compare_wait_note: "queued + stalled: percentiles of units that were kept singly (at most 900 in ten minutes), means of all.",
        compare_queued_unknown: "How long requests or jobs waited for a thread is not known (%<sides>s): queued + stalled is the stall alone there.",
        compare_wait_unknown: "queued + stalled has no percentiles here: they need units kept singly, which a store has for 14 days.",
        compare_cpu_note: "CPU % follows the traffic, and an autoscaler brings it back to its target: compare the CPU of each unit.",
        compare_memory_note: "PSS and USS: processes aged %<age>s, %<before>s before and %<after>s after; the interval is over processes.",

        compare_endpoints: "Which endpoints moved the mean elapsed time", compare_endpoint: "endpoint", compare_share: "of units", compare_moved_by: "moved by",
        compare_endpoints_note: "moved by: its part of the change of the mean of all units, at the share of units that it had before.",
        compare_ages: "By the age of the process", compare_age: "age", compare_age_from: "from %<from>s on",
        compare_units: "units", compare_units_before: "units", compare_units_after: "after",
        compare_ages_note: "Elapsed time of units kept singly, as they were mixed. Deploying more or less often changes which ages there are.",
        compare_warm_up: "Left out: the first two minutes of processes", compare_side_of: "side", compare_then: "%<quantile>s then",

        doctor_setting_changed: "%<server>s: the setting is not what it was before: %<facts>s.",
        doctor_drift_stalled_mean_worse: "%<server>s: units stall %<change>s longer than before the change of setting at %<since>s.",
        doctor_drift_stalled_mean_worse_fix: "`holdup compare --by setting` shows which endpoints and how surely.",
        doctor_drift_stalled_mean_better: "%<server>s: units stall %<change>s less than before the change of setting at %<since>s.",
        doctor_drift_cpu_unit_worse: "%<server>s: units take %<change>s more CPU than before the change of setting at %<since>s.",
        doctor_drift_cpu_unit_worse_fix: "`holdup compare --by setting` shows which endpoints and how surely.",
        doctor_drift_cpu_unit_better: "%<server>s: units take %<change>s less CPU than before the change of setting at %<since>s.",
        doctor_drift_stalled_p99_worse: "%<server>s: one unit in a hundred stalls %<change>s longer than before the change of setting at %<since>s (stalled p99); the mean may hide it.",
        doctor_drift_stalled_p99_worse_fix: "`holdup compare --by setting --metric wall,wait` shows the percentiles; `holdup capture --until` keeps such a unit.",
        doctor_drift_stalled_p99_better: "%<server>s: one unit in a hundred stalls %<change>s less than before the change of setting at %<since>s (stalled p99).",
        doctor_drift_wall_p99_worse: "%<server>s: one unit in a hundred takes %<change>s longer than before the change of setting at %<since>s (wall p99); the mean may hide it.",
        doctor_drift_wall_p99_worse_fix: "`holdup compare --by setting --metric wall,wait` shows the percentiles; `holdup capture --until` keeps such a unit.",
        doctor_drift_wall_p99_better: "%<server>s: one unit in a hundred takes %<change>s less time than before the change of setting at %<since>s (wall p99).",

        compare_states_title: "Holdup compare: %<count>s {count:state|states}, %<units>s", compare_state_column: "state",
        compare_state: "%<label>s: %<count>s %<units>s, processes: %<processes>s, in %<seconds>s",
        compare_state_told: "%<label>s against %<base>s: %<text>s",
        compare_states_figures: "The figures, each endpoint counted as often as with %<base>s", compare_states_intervals: "95 % intervals of the changes",
        compare_states_note: "%%: against %<base>s; %<mark>s: may be none, or too small to matter. Percentiles are of merged histograms.",
        compare_limits: "What can't be concluded",
        compare_limits_note: "Another application, machine or traffic will have other figures: what is measured here holds for this one."
      }.freeze
    end
  end
end
