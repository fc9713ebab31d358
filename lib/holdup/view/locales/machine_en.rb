# frozen_string_literal: true

module Holdup
  module View
    module Locales
      # Processes, their threads and their container: what the report and the doctor say of the machine.
      MACHINE_EN = {
        ceiling: "%<vcpus>s, %<processes>s: CPU can never pass %<range>s; an autoscaling target of %<target>s never fires; %<idle>s.",
        ceiling_on: "On host %<host>s: %<text>s",
        vcpus_one: "1 vCPU", vcpus_many: "%<count>s {count:vCPU|vCPUs}",
        processes_one: "1 process", processes_many: "%<count>s {count:process|processes}",
        idle_one: "at least 1 vCPU is always idle", idle_many: "at least %<count>s {count:vCPU is|vCPUs are} always idle",

        processes: "Processes", process: "process", cpu_of_core: "cpu %", cpu_of_all: "of all", cpu_waiting: "waits %",
        busy: "busy", pool_max: "of", group: "%<name>s: %<count>s", unknown_server: "(no server)",
        processes_ended: "(%<count>s that have ended)",
        processes_note: "cpu %: of one CPU. of all: of the container's vCPUs. waits %: of the time that threads wanted a CPU, how " \
          "much they waited for one. Memory: rss counts shared pages in each process, pss in all of them together once, uss " \
          "is the process's own.",
        process_waiting: "wait GVL", process_gc: "GC %", process_jit: "JIT", process_age: "age",
        process_jit_off: "off", process_jit_warm: "warm", process_jit_cold: "not warm yet", process_jit_full: "full", process_jit_works: "works", process_jit_idle: "does not work",
        workers_note: "wait GVL: threads that waited for the GVL, on average. GC %: of the time, spent in GC. JIT: warm: hardly anything new is compiled; " \
          "full: nothing more can be; works: compiled code ran in a test. age: since it is measured.",
        container_note: "%<text>s.", also: "; ",
        host: "host %<name>s", process_of_host: "host %<host>s, %<process>s",
        container: "Host %<host>s: %<vcpus>s, %<cpu>s of them used by all processes",
        container_unseen: "Host %<host>s has %<vcpus>s",
        container_memory: "%<used>s of memory used of %<limit>s", container_memory_unlimited: "%<used>s of memory used, no limit",
        container_throttled: "stopped by the CPU quota in %<share>s of its periods[[ (%<time>s in all)]]",

        pools: "Threads that take units", pool: "pool", pool_processes: "proc.", pool_threads: "threads", pool_busy: "busy",
        pool_busy_share: "busy %", pool_backlog: "waiting", pool_backlog_max: "most", pool_oldest: "oldest",
        pools_note: "busy: threads with a request or job, on average over the whole time. The others are of one look a minute at each process. " \
          "waiting: requests and jobs that no thread has taken yet, where the server knows it, on average; most: of these at once; oldest: how long one of them had waited then.",

        pool_cpu: "CPU of these threads", pool_cpu_outside: "(outside of units)", pool_cpu_unknown: "(jobs of unknown threads)",
        pool_cpu_note: "cpu %: CPU time of their units, in % of one CPU; of all: of the container's vCPUs. Outside of units: what else these processes " \
          "used (fetching and finishing jobs, other threads, the VM).",

        queues: "Waiting in queues, throughput and capacity",
        queued_max: "que. max", capacity: "capacity",
        queues_note: "capacity: of the time that the threads for such units had, how much went to these.",
        priorities_note: "Solid Queue and GoodJob take the smaller number first, and jobs without a priority as 0.",
        without_priority: "Jobs without a priority, which are not in these rows: %<count>s.",
        no_queue_request: "(requests)", no_queue_job: "(jobs without a queue)", no_queue_overflow: "(beyond the limit)",

        pairs: "Who stalled whom (about)", pair: "cause -> victim", pair_about: "about", pair_least: "at least", pair_most: "at most",
        pair_stall: "stall",
        pair_sentence: "%<causer>s caused about %<share>s of the stall that %<victim>s suffered.",
        pair_sentence_self: "%<causer>s caused about %<share>s of its own stall.",
        pairs_note: "In % of the victim's stall. Measured are what each caused and what each suffered; who met whom is an estimate, for " \
          "each minute (or longer window) by itself, and lies between the two bounds.",
        pairs_unknown: "Not known: the bounds of all pairs are so wide that an estimate would only repeat how much each caused of all stall.",
        pairs_left_out: "Pairs that are left out, with bounds too wide to say anything: %<count>s.",

        redis: "Redis: a command of %<server>s takes %<rtt>s there and back (median).",
        doctor_redis: "Redis is %<rtt>s ms away, there and back.",
        doctor_redis_slow: "Redis is %<rtt>s ms away, there and back (10 ms is what Sidekiq calls workable): each thread can fetch at most %<jobs>s {jobs:job|jobs} " \
          "a second, and each command of a job takes as long.",
        doctor_redis_slow_fix: "Run Redis in the same zone as Sidekiq. Where threads of the process compute, the time has their wait for the GVL in it: then " \
          "lower the concurrency.",

        doctor_ceiling: "Host %<host>s has %<vcpus>s {vcpus:vCPU|vCPUs} for this number of Ruby processes: %<processes>s. They can use %<range>s of its CPU at most.",
        doctor_ceiling_fix: "Start %<needed>s {needed:process|processes}, or take a container with fewer vCPUs; more threads do not help.",
        doctor_autoscale_fires: "The CPU alarm at %<target>s can fire: host %<host>s can reach %<range>s.",
        doctor_autoscale_unsure: "The CPU alarm at %<target>s may never fire: host %<host>s (vCPUs: %<vcpus>s, Ruby processes: %<processes>s) reaches %<range>s, even when requests or jobs are waiting.",
        doctor_autoscale_unsure_fix: "Scale on the signal named next, or start %<needed>s {needed:process|processes}.",
        doctor_autoscale_never: "The CPU alarm at %<target>s never fires: host %<host>s (vCPUs: %<vcpus>s, Ruby processes: %<processes>s) reaches %<range>s at most, even when requests or jobs are waiting.",
        doctor_autoscale_never_fix: "Scale on the signal named next, or start %<needed>s {needed:process|processes}.",
        doctor_autoscale_unknown: "Whether the CPU alarm at %<target>s can fire is not known: the store has no process of the last hour.",
        doctor_autoscale_unknown_fix: "Let the application and the collector run for a minute, then ask again.",
        doctor_scale_on_queued: "Scale on the time that work waits for a thread: queued above %<queued_ns>s at p95 (in the last hour it was %<p95_ns>s).",
        doctor_scale_on_busy: "Scale on busy threads: %<busy>s of %<threads>s in the last hour.",
        doctor_scale_on_backlog: "Scale on the backlog: %<backlog>s {backlog:unit|units} waited for a thread in the last hour, on average.",
        doctor_scale_on_unknown: "No signal that would show the load is measured.",
        doctor_scale_on_unknown_fix: "Have the proxy send X-Request-Start: how long work waits for a thread is the signal to scale on."
      }.freeze
    end
  end
end
