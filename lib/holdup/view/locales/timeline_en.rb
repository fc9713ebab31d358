# frozen_string_literal: true

module Holdup
  module View
    module Locales
      # Sentences of `holdup capture` and `holdup timeline`.
      TIMELINE_EN = {
        capture_waiting: "capturing for %<seconds>s s; processes at it: %<count>s",
        capture_silent: "process %<pid>s did not begin: it was captured a moment ago, has no room for one, or runs a Holdup that can't; `holdup doctor` says more",
        capture_cut: "process %<pid>s did not end its capture (it was killed, or hangs): what it had written by then is kept",
        capture_uncaught: "no unit was like that in %<seconds>s s: what is kept is only the last of it",
        capture_kept: "%<process>s: %<events>s {events:event|events} in %<length>s, cost %<cost>s of CPU (%<share>s)%<lost>s",
        capture_lost: ", the oldest %<count>s overwritten", capture_next: "holdup timeline %<path>s",
        kept_title: "Captures that are kept, the newest first: %<count>s", kept_caught: "%<unit>s stalled %<stalled>s of %<wall>s%<holder>s.", kept_holder: ", %<held>s of it for %<holder>s",
        kept_events: "%<events>s {events:event|events} of %<process>s.", kept_by_rule: "By rule: %<rule>s.", kept_asked: "Asked for.", kept_asked_until: "Asked for with --until: %<rule>s.", kept_dashboard: "Asked for in the dashboard.", kept_broken: "It is damaged.",
        kept_more: "`holdup timeline ID` shows one, with `--unit caught` the story of the unit that it caught.",
        kept_none: "No capture is kept. `holdup capture` takes one; with `config.capture = {stall: \"50 ms\"}` a process does so by itself.",
        timeline_by_rule: "It was kept because %<unit>s stalled %<stalled>s of %<wall>s (%<rule>s).",
        timeline_title: "%<process>s, %<at>s: %<length>s, %<events>s {events:event|events} of %<threads>s {threads:thread|threads}, %<units>s {units:unit|units}",
        timeline_cost: "The capture cost %<cost>s of CPU, %<share>s of the time.", timeline_open: "It has no end: the process was killed, or goes on.",
        timeline_lost: "The oldest %<count>s {count:event was|events were} overwritten: the window is what is left.",
        timeline_nothing: "No thread waited for the GVL, and no unit ran.",
        timeline_units: "Units that waited longest", timeline_unit: "unit", timeline_id: "id", timeline_wall: "wall", timeline_ran: "ran", timeline_stalled: "stalled",
        timeline_idle: "idle", timeline_for: "most for", timeline_more: "`--unit ID` tells one of them, `--unit slowest` the slowest.",
        timeline_holders: "For whom threads waited", timeline_holder: "holder", timeline_caused: "caused", timeline_share: "share", timeline_waits: "waits",
        timeline_held: "held", timeline_longest: "longest", timeline_handoff: "(nobody: hand-off)", timeline_thread: "thread %<name>s", timeline_unnamed: "(no name)", timeline_unfinished: "(unit that went on)",
        timeline_story: "Unit %<id>s: %<name>s on %<thread>s, %<at>s: %<wall>s", timeline_split: "ran %<running>s, waited for the GVL %<stalled>s, idle %<idle>s (%<kinds>s); others waited %<caused>s for it",
        timeline_kind_io: "io", timeline_kind_lock: "lock", timeline_kind_sleep: "sleep or timed wait", timeline_kind_none: "to the end of the window",
        timeline_step_running: "ran", timeline_step_stalled: "waited for %<holders>s", timeline_step_idle: "idle: %<kind>s", timeline_step_unknown: "unknown", timeline_step_absent: "its thread was gone",
        timeline_step_preempted: "lost the GVL, waited for %<holders>s",
        timeline_step_together: "%<count>s {count:short period|short periods}: ran %<running>s, waited %<stalled>s, idle %<idle>s", timeline_part: "%<who>s (%<thread>s)", timeline_nobody: "the hand-off %<time>s",
        timeline_fibers: "Its thread runs fibers in turns: periods of other fibers are in between.",
        timeline_trace: "Trace %<trace>s.",
        timeline_methods: "What ran while threads waited", timeline_method: "method", timeline_in: "in", timeline_frame: "%<method>s (%<place>s)",
        timeline_no_unit: "(no unit)", timeline_no_stack: "(no stack)", timeline_other_methods: "(%<count>s more)",
        timeline_stacks: "%<share>s of all waiting has a method. Taking %<count>s {count:stack|stacks} cost %<cost>s in the application's threads and %<watch>s in the one that watches.",
        timeline_sampler: "Threads that ran were sampled by %<name>s.",
        timeline_meanwhile: "What ran meanwhile is known of %<share>s of its waiting: %<methods>s.", timeline_held_in: "%<held>s, %<share>s of it in %<frame>s", timeline_waited_in: "; itself in %<frame>s",
        timeline_answer_stalled: "%<name>s took %<wall>s, %<spent>s waiting for the GVL: %<held>s (%<share>s) for %<who>s%<ran>s%<gc>s.",
        timeline_answer_running: "%<name>s took %<wall>s, and had the GVL itself for %<spent>s%<ran>s.",
        timeline_answer_io: "%<name>s took %<wall>s, %<spent>s waiting for io.", timeline_answer_lock: "%<name>s took %<wall>s, %<spent>s waiting for a lock.",
        timeline_answer_sleep: "%<name>s took %<wall>s, %<spent>s asleep, or waiting with a time limit.",
        timeline_answer_pool: "%<name>s took %<wall>s, %<spent>s waiting for a connection of the pool.",
        timeline_answer_all_stalled: "Threads waited %<spent>s for the GVL: %<held>s (%<share>s) for %<who>s%<ran>s%<gc>s.",
        timeline_answer_all_lock: "Units waited %<spent>s for locks; for the GVL threads waited %<stalled>s.",
        timeline_answer_all_pool: "Units waited %<spent>s for a connection of the pool; for the GVL threads waited %<stalled>s.",
        timeline_answer_nobody: "nobody: the hand-off from thread to thread", timeline_answer_ran: ", %<share>s of it in %<frame>s", timeline_answer_collecting: ", %<time>s of it in garbage collection", timeline_collecting: ", %<time>s of it in garbage collection",
        timeline_long_hold: "LONG HOLD: %<thread>s held the GVL for %<ns>s without a break, %<parts>s; others waited %<waited_ns>s meanwhile. %<cause>s Holds of 150 ms and more for which others waited: %<count>s; this one cost them most.",
        timeline_hold_unit: "%<share>s of it in %<who>s", timeline_hold_outside: "%<share>s of it outside of requests and jobs", timeline_hold_ran: ", %<share>s in %<frame>s",
        timeline_hold_late: "No thread waited for it longer than %<wait_ns>s, about a time slice (100 ms unless it was set), which Ruby counts only while another thread waits: no sign of C code or of a missing CPU.",
        timeline_hold_ruby: "It was Ruby code: its stack was taken %<taken>s {taken:time|times}, at most %<silent_ns>s apart. Ruby code holds that long with a longer time slice (RUBY_THREAD_TIMESLICE, a raised priority), with calls that seldom check for interrupts, or without a free CPU; the capture does not show which.",
        timeline_hold_native: "C code ran in %<native_share>s of it, as the sampler saw: no time slice ends C code that keeps the GVL.",
        timeline_hold_silent: "For %<silent_ns>s no stack could be taken: it ran C code that keeps the GVL, or had no CPU. The capture does not show which; \"starved\" in `holdup report` shows a missing CPU.",
        timeline_hold_unseen: "No stack could be taken of its thread, so the cause is not known: C code that keeps the GVL, a longer time slice, or no CPU.",
        timeline_gc_pause: "GC PAUSE: collections of 10 ms and more: %<count>s, the longest %<ns>s (on %<thread>s); others waited %<waited_ns>s meanwhile in all.",
        timeline_convoy: "CONVOY: unit %<id>s (%<who>s) gave the GVL up %<count>s {count:time|times} for moments and waited %<waited_ns>s to get it back. Units that went like that: %<units>s.",
        timeline_lock_queue: "LOCK QUEUE: up to %<count>s {count:unit|units} at once waited for locks, %<waits>s {waits:time|times}, %<waited_ns>s in all.",
        timeline_kind_pool: "a connection of the pool",
        timeline_pool_wait: "POOL WAIT: requests or jobs waited %<waits>s {waits:time|times} 10 ms and more for a connection of the pool, %<waited_ns>s in all, up to %<count>s at once. That is no wait for the GVL. Possible causes: the pool is smaller than what runs at once, or connections are kept for long.",
        timeline_pass_storm: "PASS STORM: %<thread>s gave the GVL up %<count>s {count:time|times} long before its time slice ended, while others waited (as Thread.pass in a loop does; %<share>s of these in %<who>s)."
      }.freeze
    end
  end
end
