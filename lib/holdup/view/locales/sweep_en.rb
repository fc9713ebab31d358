# frozen_string_literal: true

module Holdup
  module View
    module Locales
      # Texts of `holdup lab sweep`, `lab check` and `lab jit`.
      SWEEP_EN = {
        sweep_title: "Settings of `%<command>s`: %<settings>s, in %<rounds>s {rounds:round|rounds} of %<seconds>s s",
        sweep_best: "%<best>s is better than %<base>s at %<level>s: %<percentile>s %<after>s instead of %<before>s (-%<gain>s); two runs of the same setting differ by up to %<noise>s.",
        sweep_same: "KEEP %<base>s: at %<level>s no other setting is better by more than chance; two runs of the same setting differ by up to %<noise>s of %<percentile>s.",
        sweep_early: "Too early to say: %<base>s must have run twice, to know what chance alone makes of it.",
        sweep_predicted: "What the recording of %<base>s let expect was off by at most %<throughput>s for served/s, %<wait>s of the response for wait, and %<percentile>s for %<share>s.",
        sweep_unpredicted: "Nothing was predicted: there was no recording of %<base>s that could be replayed.",
        sweep_rate: "At %<level>s", sweep_level_open: "%<rate>s requests/s", sweep_level_closed: "%<rate>s {rate:connection|connections} of %<tool>s",
        sweep_setting: "setting", sweep_served: "served/s", sweep_expected: "exp.", sweep_off: "off", sweep_wait: "wait", sweep_client: "client",
        sweep_cpu: "CPU", sweep_memory: "memory", sweep_warm_up: "warm-up", sweep_errors: "errors", sweep_rounds: "rounds", sweep_most: "most/s",
        sweep_note: "Processes x threads; * baseline. Medians of the rounds, times in ms, from the client's sending on. wait: queued + stalled. client: %<percentile>s as the client saw it.",
        sweep_predicted_note: "exp.: what the baseline's recording let expect. off: the error; of wait in % of the response.",
        sweep_costs: "What it takes",
        sweep_costs_note: "CPU ms of a request, all threads and processes of the server; most/s: the highest rate without overload.",
        sweep_left: "Stopped: %<left>s of %<all>s {all:step|steps} {left:is|are} left. `holdup lab sweep --resume %<path>s` goes on.",
        sweep_unsteady: "not steady when the measurement began: %<names>s; give it more time with --warm-up.",
        sweep_overrun: "could not keep up with the lowest rate: %<names>s. Their queue grew until the end, so their times tell how long one measured; give a lower --rate, or begin the --ladder lower.",
        sweep_failed: "requests failed or had another status than 200 to 399: %<names>s.",
        sweep_recorded: "Requests as recorded: %<endpoints>s {endpoints:endpoint|endpoints}, of which %<rate>s {rate:request|requests} a second came to each host in a busy minute. Sent: %<level>s.",
        sweep_left_out: "left out, because no path of a GET is known of them: %<names>s (%<share>s of the recorded requests, %<cpu>s of their CPU).",
        sweep_and_more: "%<names>s and %<count>s more",
        sweep_closed: "%<tool>s is a closed loop: it waits for an answer before it asks again, so it sends less when the server is slow, and hides what users would feel (coordinated omission). Percentiles are its own, and nothing is predicted.",
        sweep_paced: "%<tool>s sends at even distances, without the crowds that users make, and its requests don't tell the server when they were sent: percentiles are its own, counted from when a request was due, and nothing is predicted.",
        sweep_file: "Everything is in %<path>s.",
        sweep_progress: "step %<number>s/%<of>s, %<arm>s: %<doing>s%<left>s",
        sweep_about: ", about %<minutes>s min left",
        sweep_doing_boot: "booting", sweep_doing_warm_up: "warming up, %<seconds>s s", sweep_doing_measure: "measuring at %<rate>s, %<seconds>s s", sweep_doing_stop: "stopping",
        sweep_doing_count: "counting jobs for %<seconds>s s",

        jitlab_title: "YJIT for `%<command>s`: %<settings>s {settings:arm|arms}, in %<rounds>s {rounds:round|rounds} of %<seconds>s s",
        jitlab_best: "YJIT %<best>s: a request takes %<cpu>s of CPU instead of %<before>s (%<low>s to %<high>s, round by round); two runs without differ by up to %<noise>s. It takes %<memory>s more memory.",
        jitlab_same: "No difference: no way to run YJIT changes the CPU of a request by more than chance does; two runs without differ by up to %<noise>s.",
        jitlab_early: "Too early to say: off must have run twice, to know what chance alone makes of it.",
        jitlab_misnamed: "these ran with another JIT than their name says, because the application or RUBYOPT switches it: %<names>s.",
        jitlab_saturated: "YJIT had no memory left and compiled no more: %<names>s.",
        jitlab_unsteady: "not steady when the measurement began: %<names>s; give it more time with --warm-up.",
        jitlab_took: "It took %<elapsed>s.", jitlab_rounds: "%<name>s (%<count>s of %<all>s)",
        jitlab_left: "Stopped: %<left>s of %<all>s {all:step|steps} {left:is|are} left. `holdup lab jit --resume %<path>s` goes on.",
        jitlab_speed: "At %<level>s", jitlab_arm: "YJIT", jitlab_cpu: "CPU", jitlab_change: "change", jitlab_range: "rounds", jitlab_served: "served/s",
        jitlab_speed_note: "CPU: ms of a request, all threads and processes of the server; change against off, and its range over the rounds in %. Percentiles in ms with queueing, medians of the rounds.",
        jitlab_costs: "What it costs", jitlab_memory: "memory", jitlab_code: "code", jitlab_metadata: "metadata", jitlab_full: "full", jitlab_cold: "cold", jitlab_warm: "warm after",
        jitlab_costs_note: "memory (PSS) of all processes, code and metadata of the largest. full: no memory left for more code. cold: CPU of the first requests against the last of the warm-up.",
        jitlab_half: "What too little memory does, `--mem-size %<mib>s` shows: half of what YJIT took after boot.",
        jitlab_states: "The states with intervals: %<command>s",
        jitlab_yes: "yes", jitlab_no: "no",

        check_passed: "Passed: none of %<count>s {count:endpoint|endpoints} got worse.",
        check_failed: "FAILED: %<names>s got worse.",
        check_worse: "%<name>s: %<figures>s.",
        check_worse_acquisitions: "it takes the GVL %<after>s {after:time|times} instead of %<before>s (more queries or calls, as an N+1 has)",
        check_worse_longest_hold_ns: "it holds the GVL for %<after>s at a time instead of %<before>s",
        check_worse_p95_ns: "its p95 is %<after>s instead of %<before>s",
        check_worse_by_others: "%<figures>s, though it takes and holds the GVL as before: it waits for others, or computes more",
        check_added: "New, and not compared: %<names>s.",
        check_gone: "No longer there: %<names>s.",
        check_thin: "Fewer than %<fewest>s {fewest:request|requests}, and not compared: %<names>s.",
        check_endpoint: "endpoint", check_acquisitions: "acq.", check_longest_hold: "longest hold", check_was: "was",
        check_note: "! worse. Acquisitions of the GVL for a request are counted and may not grow; the longest hold (both medians) and the p95 that is predicted for the baseline's load may grow by %<tolerance>s.",
        check_written: "Written to %<path>s; endpoints: %<count>s."
      }.freeze
    end
  end
end
