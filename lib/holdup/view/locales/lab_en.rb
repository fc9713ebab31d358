# frozen_string_literal: true

module Holdup
  module View
    module Locales
      # What `holdup lab` says of its experiments.
      LAB_EN = {
        lab_vcpu_title: "Two jobs that compute, %<vcpus>s",
        lab_vcpu_facts: "Sidekiq %<sidekiq>s on Ruby %<ruby>s. A job is a fixed amount of Ruby, %<alone>s alone.",
        lab_vcpu_repeats: "Each experiment ran %<count>s {count:time|times}; the fastest run counts (the slowest took %<spread>s more).",
        lab_vcpu_full: "%<vcpus>s, %<processes>s: one process can use all of it; more processes need more vCPUs first.",

        lab_and: ", ", lab_progress: "running %<number>s of %<repeats>s: %<experiment>s",
        lab_experiment: "experiment", lab_each: "each", lab_in_all: "in all", lab_running: "running", lab_stalled: "stalled",
        lab_by_other: "by other", lab_cpu: "CPU", lab_alarm: "alarm %<target>s",
        lab_alone: "alone", lab_threads: "two threads", lab_serial: "serial", lab_processes: "two processes",
        lab_fires: "fires", lab_silent: "silent",
        lab_vcpu_note: "As measured. each, in all: elapsed, as multiples of one job alone. by other: how much of the stall the other job " \
          "caused. CPU: of all vCPUs. alarm: what autoscaling with that target would have done.",

        lab_bars: "What each job went through",
        lab_bars_legend: "# running  ! starved  x stalled  ~ io  = lock  z sleep  + native  . queued",

        lab_meaning: "What it means",
        lab_means_threads: "Two at once in one process: each took %<each>s, ran for %<running>s and stalled for %<stalled>s; the " \
          "other job caused %<share>s of that. Only one thread of a process runs Ruby at a time, so the second thread " \
          "adds no work done. It only makes both jobs late.",
        lab_means_serial: "One after the other: %<in_all>s in all, both at once: %<at_once>s, and the first was done after about half " \
          "of it. With such jobs a concurrency of 1 loses nothing.",
        lab_means_processes: "Two processes: %<each>s each, %<in_all>s in all. Each process has a GVL of its own, so both jobs can " \
          "run at the same time. CPU of all vCPUs: %<cpu>s.",
        lab_means_processes_full: "Two processes: %<each>s each, %<in_all>s in all. Each has a GVL of its own, but they share %<vcpus>s, so they " \
          "had to wait for a CPU instead (starved).",
        lab_means_halved: "Why CPU %% halved when the vCPUs were doubled: one process computes on %<cores>s CPUs, however many there " \
          "are. That was %<before>s of %<half>s and is %<after>s of %<vcpus>s.",

        lab_advice: "What to do",
        lab_advice_processes: "Start as many Sidekiq processes as there are vCPUs (%<needed>s here), each with few threads for jobs that compute.",
        lab_advice_threads: "Keep a higher concurrency for queues whose jobs mostly wait for something: that is where threads help.",
        lab_advice_scale: "Scale on the latency of the queue instead of CPU %: it grows whatever the ceiling is.",

        lab_off: "%<experiment>s: %<each>s each and %<in_all>s in all, where theory says %<expected_each>s and %<expected_in_all>s.",
        lab_undisturbed: "%<undisturbed>s without starved time (measured: %<measured>s)",
        lab_starved: "Jobs held the GVL without a CPU for up to %<share>s of their time (starved): something else used the CPUs, or a quota stopped " \
          "the processes. Without that time: %<without>s each; the table and the bars have what was measured. Run it again on a quiet machine, with more --seconds and --repeat.",
        lab_off_slower: "The same work took %<ratio>s the CPU time. Possible causes: two vCPUs that share a core, or a CPU that clocks down.",
        lab_off_unknown: "Run it again on a quiet machine, with more --seconds and --repeat.",

        lab_jobs_title: "Jobs at each concurrency (Sidekiq %<sidekiq>s, Ruby %<ruby>s, %<vcpus>s {vcpus:vCPU|vCPUs})",
        lab_jobs_threads: "threads", lab_jobs_measured: "jobs/s", lab_jobs_replay: "predicted", lab_jobs_error: "error", lab_jobs_closed: "formula",
        lab_jobs_running: "running", lab_jobs_stalled: "stalled",
        lab_jobs_enough: "%<threads>s {threads:thread is|threads are} enough: %<rate>s jobs/s. {threads:It is|They are} the fewest with %<share>s of the most that was measured.",
        lab_jobs_accuracy: "From the run at %<baseline>s {baseline:thread|threads} alone the others were predicted within %<replay>s (formula %<closed>s, Amdahl's law %<amdahl>s).",
        lab_jobs_facts: "Jobs measured: %<count>s; runs of each concurrency: %<rounds>s; medians of these. The queue was never empty. * is the run that the predictions are made from.",
        lab_jobs_note: "predicted: its jobs replayed with other threads. formula: the closed model. error: of predicted, in the same round. " \
          "running, stalled, p95: of a job's elapsed time. GVL: share of the time that it was held.",
        lab_jobs_stopped: "Stopped: %<left>s of %<all>s {all:run|runs} {left:is|are} left. `holdup lab jobs --resume %<path>s` goes on.",
        lab_jobs_open_end: "%<threads>s {threads:thread is|threads are} the most that were tried, and the GVL is free for %<share>s of the time: more may do more. Try them with --concurrency.",
        lab_jobs_noise: "Two runs of the same (* and ~) differed by up to %<noise>s: what is less than that is chance.",
        lab_jobs_errors: "%<count>s {count:job|jobs} failed. {count:It counts|They count} like others, but may be shorter.",
        lab_jobs_cost: "At concurrency %<threads>s a job took %<share>s CPU against the run at %<baseline>s: the machine computed at another speed, or jobs cost " \
          "more or less with concurrency. Errors are partly that. Run it again on a quiet machine, with more --rounds.",
        lab_jobs_locked: "With %<threads>s {threads:thread|threads} %<share>s of their time is a wait for locks, in jobs or between them (Sidekiq's log has one). That is the limit " \
          "then, and no prediction knows it."
      }.freeze
    end
  end
end
