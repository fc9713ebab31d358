# frozen_string_literal: true

module Holdup
  module Reports
    module Locales
      # What `holdup doctor` says: each finding, and for those that are not fine what to do.
      DOCTOR_EN = {
        level_ok: "ok", level_warn: "warn", level_fail: "FAIL",
        doctor_title: "Holdup doctor",
        doctor_sound: "All is well.",
        doctor_summary: "%<fail>s failed, %<warn>s to look at, %<ok>s fine.",
        doctor_ruby: "This Ruby can be measured: %<ruby>s",
        doctor_unsupported: "%<reason>s (%<ruby>s)",
        doctor_unsupported_fix: "Use CRuby 3.3 or newer with the extension built; elsewhere Holdup loads and measures nothing.",
        doctor_clock_counter: "The probe reads the CPU's counter, which costs least.",
        doctor_clock_monotonic: "The probe reads the monotonic clock: exact, about 60 ns more for each release of the GVL.",
        doctor_folder: "Segments are in %<dir>s.",
        doctor_folder_missing: "There is no folder %<dir>s: nothing was measured by this user since the machine started.",
        doctor_folder_missing_fix: "Start the application with Holdup (`holdup exec -- COMMAND`, `plugin :holdup` in puma.rb, or the gem in a " \
          "Rails app) as this user, or give its HOLDUP_DIR.",
        doctor_folder_unreadable: "This user can't read %<dir>s.",
        doctor_folder_unreadable_fix: "Run the doctor as the application's user.",
        doctor_folder_on_disk: "%<dir>s is on a disk: writing to it can block a request while the disk is busy.",
        doctor_folder_on_disk_fix: "Set HOLDUP_DIR to a folder on tmpfs, such as /dev/shm/holdup.",
        doctor_capture_rule: "Processes that wait for \"%<rule>s\" to capture it: %<waiting>s of %<processes>s; the ring takes up to %<cost>s of one core.",
        doctor_capture_no_memory: "\"%<rule>s\" can't be waited for: there is no tmpfs to keep the events in.",
        doctor_capture_no_memory_fix: "Set HOLDUP_DIR to a folder on tmpfs, such as /dev/shm/holdup.",
        doctor_capture_no_room: "\"%<rule>s\" is not waited for in %<processes>s processes: there was no room for the events.",
        doctor_capture_no_room_fix: "Make the tmpfs larger (Docker: --shm-size), or keep fewer: events=10000 takes 0.5 MB for each process.",
        doctor_segments: "Processes that measure: %<alive>s, units they hold: %<units>s (ended ones that wait for the collector: %<ended>s).",
        doctor_segments_none: "No living process measures into %<dir>s.",
        doctor_segments_none_fix: "Start the application with Holdup; if it runs, look for a line of \"holdup:\" in its log, and check that " \
          "HOLDUP_ENABLED is not false and HOLDUP_DIR is the same.",
        doctor_segment_refused: "%<message>s.",
        doctor_segment_refused_fix: "Until then its measurements are left where they are.",
        doctor_unmeasured_starting: "%<server>s (pid %<pids>s) started less than 30 seconds ago and does not measure yet.",
        doctor_unmeasured_starting_fix: "Look again in half a minute.",
        doctor_unmeasured_loaded: "%<server>s (pid %<pids>s) has loaded Holdup, but does not measure.",
        doctor_unmeasured_loaded_fix: "The line with \"holdup:\" in its log says why. If there is none, nothing has called Holdup.start " \
          "(docs/servers.md has the line for each server). Then restart it.",
        doctor_unmeasured_without: "%<server>s (pid %<pids>s) runs without Holdup.",
        doctor_unmeasured_without_fix: "Name the gem in its Gemfile (docs/servers.md), or start it with `holdup exec -- COMMAND`. If it is not meant to " \
          "be measured, all is well.",
        doctor_measured_elsewhere: "%<server>s (pid %<pids>s) measures into %<dir>s: `holdup doctor --dir %<dir>s` looks at it.",
        doctor_variable_unknown: "%<name>s has no effect: no setting has this variable.",
        doctor_variable_unknown_fix: "docs/configuration.md lists the variables of the environment; take this one away or correct it.",
        doctor_variable_mistyped: "%<name>s has no effect: no setting has this variable.",
        doctor_variable_mistyped_fix: "Did you mean %<nearest>s? docs/configuration.md lists the variables of the environment.",
        doctor_heartbeat: "Process %<pids>s has not ticked for %<seconds>s s: its gauges and the threads outside units are old.",
        doctor_heartbeat_fix: "Look whether the process is stopped (SIGSTOP, a debugger) or one thread holds the GVL for that long.",
        doctor_collector: "A collector carries the segments to the store.",
        doctor_collector_idle: "No collector is running (and there is nothing to carry).",
        doctor_collector_idle_fix: "It starts with the application; or run `holdup collect`.",
        doctor_collector_starting: "No collector is running yet; the processes have just started.",
        doctor_collector_starting_fix: "Look again in half a minute.",
        doctor_collector_none: "No collector is running: nothing reaches the store. Nothing is lost as long as the machine runs.",
        doctor_collector_none_fix: "Run `holdup collect` (as a service, or once with --once) and see what it says.",
        doctor_store: "The store %<location>s can be read (%<megabytes>s MB, schema %<schema>s) and is up to date.",
        doctor_store_problem: "Reports can't be read: %<message>s.",
        doctor_store_problem_fix: "Reports have nothing to read until then; the collector keeps the measurements and goes on by itself.",
        doctor_store_empty: "The store %<location>s is empty.",
        doctor_store_empty_fix: "Wait for the first minute of traffic; if it stays empty, check that the collector uses the same store.",
        doctor_store_old: "The newest measurement in %<location>s is %<minutes>s minutes old although processes measure.",
        doctor_store_old_fix: "Check that the collector runs and uses this store (--store, HOLDUP_STORE), and that there is traffic.",
        doctor_applications: "Units of %<count>s applications came in the last hour (%<apps>s). Reports are of all of them, with --app NAME of one.",
        doctor_books: "The books balance: caused + hand-off = stalled in each process.",
        doctor_books_gap: "caused + hand-off differ from stalled by %<percent>s %% in process %<pids>s.",
        doctor_books_gap_fix: "The measuring itself is wrong there: report it with the counters below and your Ruby's version.",
        doctor_mn_threads: "M:N threads are on: io, lock and sleep can't be told apart, all of it counts as io.",
        doctor_mn_threads_fix: "Read io as time that the thread was parked, or unset RUBY_MN_THREADS.",
        doctor_server: "%<server>s; processes that take units: %<processes>s.",
        doctor_server_workers: "%<server>s; processes that take units: %<processes>s (workers %<workers>s).",
        doctor_lever: "%<name>s is %<value>s; at a restart: %<how>s",
        doctor_lever_live: "%<name>s is %<value>s; while it runs: %<how>s",
        doctor_lever_where: "%<name>s is %<value>s (%<where>s); at a restart: %<how>s",
        doctor_lever_where_live: "%<name>s is %<value>s (%<where>s); while it runs: %<how>s",
        doctor_fibers: "Requests are fibers here: their io also holds the wait for their turn on the thread (docs/falcon.md).",
        doctor_jit: "A JIT is on: %<name>s (processes: %<processes>s, since %<since>s, by: %<by>s).",
        doctor_jit_off: "%<processes>s of %<all>s processes run without a JIT.",
        doctor_jit_off_fix: "Set config.jit = :on (or HOLDUP_JIT=on): YJIT is then switched on in each worker, once the application is loaded. " \
          "Less running is less stall for everybody (docs/yjit.md).",
        doctor_jit_unavailable: "config.jit asks for YJIT, and this Ruby was built without.",
        doctor_jit_unavailable_fix: "Install a Ruby with YJIT: have rustc at hand when Ruby is built, and look that `ruby --yjit -v` says +YJIT.",
        doctor_jit_unwanted: "config.jit is :off, but a JIT is on (by: %<by>s); Ruby can't switch it off again.",
        doctor_jit_unwanted_fix: "Take the option away, in Rails set config.yjit = false, then restart.",
        doctor_jit_options: "This Ruby takes what config.jit asks for only when it starts.",
        doctor_jit_options_fix: "Add to the environment, and restart: RUBYOPT=\"%<line>s\"",
        doctor_jit_at_boot: "YJIT was on from Ruby's start in %<processes>s processes (by: %<by>s): what only runs at boot is compiled too, which costs " \
          "some 8 to 15 %% of the memory.",
        doctor_jit_at_boot_fix: "Add --yjit-disable to the options (or drop RUBY_YJIT_ENABLE) and set config.jit = :on.",
        doctor_jit_master_off: "It was off in the process that they were forked from, as it should be.",
        doctor_jit_in_master: "YJIT was switched on in the master, before the workers were forked (by: %<by>s). That costs nothing as long as the " \
          "master runs no more Ruby code; but workers with and without can't be compared.",
        doctor_jit_too_early: "YJIT was switched on in the master, before the workers were forked (by: %<by>s), although config.jit asks for it in each worker.",
        doctor_jit_too_early_fix: "In Rails: config.yjit = false; else take away the call that runs before the fork. Then restart.",
        doctor_jit_wrong_hook: "YJIT was switched on in the master, after it had forked its first workers (by: %<by>s): %<with>s have it from there, " \
          "%<without>s not.",
        doctor_jit_wrong_hook_fix: "The hook runs in the master (Puma: after_worker_fork does). Use config.jit = :on; or call RubyVM::YJIT.enable in " \
          "before_worker_boot (Puma 7; on_worker_boot before), after_worker_ready (Unicorn), after_worker_fork (Pitchfork).",
        doctor_jit_ineffective: "YJIT is on and does nothing in %<processes>s processes: a TracePoint for calls, lines or returns was on once.",
        doctor_jit_ineffective_fix: "Find what uses TracePoint (debuggers, tracers, trackers of unused code) and keep it out of production; then restart: " \
          "only a new process recovers.",
        doctor_jit_ineffective_suspects: "YJIT is on and does nothing in %<processes>s processes: a TracePoint for calls, lines or returns was on once. " \
          "Loaded and known to use them: %<suspects>s.",
        doctor_jit_ineffective_suspects_fix: "Keep these out of production (require: false, or another group of the Gemfile), then restart: only a new " \
          "process recovers.",
        doctor_jit_saturated: "YJIT's memory is full in %<processes>s processes (limit: %<limit>s MiB, %<from>s; code: %<code>s MiB, metadata: %<metadata>s " \
          "MiB): nothing more is compiled.",
        doctor_jit_saturated_fix: "If there is memory for it, start Ruby with %<option>s=%<more>s (each worker may then grow by 1.3 times the " \
          "difference, and with exec-mem-size by 4 times); else leave it: what is compiled stays.",
        doctor_jit_short_lives: "%<ended>s workers of %<server>s ended in the last hour, after %<units>s units and %<minutes>s minutes each (median): " \
          "compiling may cost more than it gives.",
        doctor_jit_short_lives_fix: "Find out what ends them (a memory killer whose limit was right without YJIT?) and raise its limit, or leave YJIT off " \
          "there (docs/yjit.md).",
        doctor_killer: "%<name>s ends a process that takes more than %<megabytes>s MB of resident memory (processes %<pids>s).",
        doctor_killer_all: "%<name>s ends a worker when the master and all workers together take more than %<megabytes>s MB of resident memory " \
          "(workers with pid %<pids>s).",
        doctor_killer_units: "%<name>s ends a process that has served %<units>s requests or jobs (processes %<pids>s).",
        doctor_killer_every: "%<name>s restarts the processes every %<minutes>s minutes (processes %<pids>s).",
        doctor_queue: "%<percent>s %% of the requests say how long they were queued.",
        doctor_queue_unknown: "None of %<requests>s requests says how long it was queued, so the wait for a free thread is not visible.",
        doctor_queue_unknown_fix: "Have the proxy send X-Request-Start (nginx: proxy_set_header X-Request-Start \"t=${msec}\";).",
        doctor_series_overflow: "%<count>s units found the table of names full and are in \"(series beyond the limit)\".",
        doctor_series_overflow_fix: "Name units without ids (docs/naming.md) or raise HOLDUP_SERIES_LIMIT.",
        doctor_no_anomalies: "The probe met nothing unusual.",
        doctor_discarded: "%<count>s units can't be told (they spanned enable, disable or a fork, or ended on another thread) and are left out.",
        doctor_discarded_fix: "A few at start and stop are normal; if it grows, something ends units on other threads than it starts them.",
        doctor_abandoned: "%<count>s units were open when their thread died and are left out.",
        doctor_abandoned_fix: "Look for what kills threads inside requests or jobs (Timeout, Thread#kill).",
        doctor_clock_backward: "The clock went back %<count>s times; those steps count as 0.",
        doctor_clock_backward_fix: "A few on a virtual machine do no harm; if it grows, the CPU counter is unreliable here: report it.",
        doctor_resumed_without_ready: "%<count>s times a thread got the GVL without having asked; that stall counts as 0.",
        doctor_resumed_without_ready_fix: "Expected right after start; if it grows with traffic, report it with your Ruby's version.",
        doctor_suspended_twice: "%<count>s times a thread let go of the GVL that it did not have; the second is ignored.",
        doctor_suspended_twice_fix: "Expected with interrupts and Timeout; if it grows with traffic, report it with your Ruby's version.",
        doctor_unknown_holder: "%<count>s times it was not known who held the GVL; that stall counts for the last known holder.",
        doctor_unknown_holder_fix: "Expected with M:N threads and right after start; else report it with your Ruby's version.",
        doctor_queued_clamped: "%<count>s requests seem to have been received in the future; their queued time counts as 0.",
        doctor_queued_clamped_fix: "The proxy's clock is ahead of this machine's: synchronise both (chrony, ntpd).",
        doctor_sanitised: "%<count>s names were cut or cleaned (too long, control characters, broken UTF-8).",
        doctor_sanitised_fix: "Harmless; a config.name of your own that returns short names avoids it.",
        doctor_grow_failures: "%<count>s times there was no room for another series; those units are in \"(series beyond the limit)\".",
        doctor_grow_failures_fix: "Make the tmpfs larger (Docker: --shm-size) or lower HOLDUP_SERIES_LIMIT or HOLDUP_RING_SIZE.",
        doctor_guard_failures: "%<count>s times Holdup itself failed inside the application and went on.",
        doctor_guard_failures_fix: "The application's log has the reason after \"holdup:\"; please report it."
      }.freeze
    end
  end
end
