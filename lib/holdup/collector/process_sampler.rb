# frozen_string_literal: true

require "etc"

module Holdup
  class Collector
    # Samples each process once a minute, when it is first seen and when it has ended: what it reports itself
    # (gauges, counters and profile of its segment) and what the system knows. Where both know, the system
    # wins, because it still answers when the process hangs. One more sample (pid 0) describes the container,
    # with what the collector and all segments take (CollectorUsage, `segment_bytes`)
    # and the machine's speed (`fixed_work_ns`, see FixedWork): the mean of all rounds since the last one.
    # In an experiment also the mean of those rounds in which processes had an arm's setting (ArmWork).
    #
    # Keys of a sample, in addition to at_s, host and pid:
    # - `name`, `setting`, `generation`, `parent`, `start`, `since_s` (start of measurement), `server`
    #   ("puma", "puma+sidekiq"), `ended` (true in the last)
    # - counters and gauges of the segment, as of `ticked_ns`; ProcessFacts
    # - "pool.N" (name), "pool.N.max", ".busy", ".backlog", ".oldest_ns" and ".busy_ns" for each pool
    # - "waiting.N.0", ".1" ...: the queues of pool N with their waiting jobs, see WaitingQueue.parse
    # - `master_pid`, `master_rss_bytes`, when the worker killer counts the master too
    # - "jit.at", "killer.name" and so on: from the profile, on JIT and worker killer
    # (docs/internals/segment.md)
    # - "lever.NAME.value" and so on: when first seen, when one changes, and once an hour
    class ProcessSampler
      EVERY_S = Analysis::ProcessReport::EVERY_S
      CONTAINER = Analysis::ProcessReport::SampleTrail::CONTAINER
      LEVERS_EVERY_S = 3600
      # Reading its memory blocks a process, so processes that started together are sampled at different
      # times: the second sample of each comes up to this much sooner, depending on its pid.
      SPREAD_S = 30

      # @param facts [#call] pid => ProcessFacts; `container`, `spread` (seconds by which its second sample
      #   comes sooner) and `rss` take a pid too
      # @param own [#call] facts of the collector itself
      # @param work_ns [#call] CPU time of a fixed piece of work; nil if unknown
      def initialize(facts: ProcessFacts.new, container: ContainerFacts.new, own: CollectorUsage.new,
        spread: ->(pid) { pid % SPREAD_S }, rss: ProcessFacts.new.method(:rss_bytes),
        work_ns: defined?(FixedWork) ? FixedWork.method(:ns) : -> {})
        @facts = facts
        @rss = rss
        @spread = spread
        @container = container
        @own = own
        @work_ns = work_ns
        @work_times = []
        @last = {}
      end

      # Times the fixed work in every round: one millisecond of a minute is no measure of its speed.
      # @yieldparam pid [Integer] a process that can't be sampled; without a block its error is raised
      # @return [Array<Hash{Symbol => Object}>] for Store#commit, of the processes that are due
      def samples(snapshots, host, now_ns, &bad)
        now_s = now_ns / 1_000_000_000
        newest = newest(snapshots)
        parents = newest.to_h { |snapshot| [snapshot.pid, snapshot.header.parent] }
        due = newest.select { |snapshot| due?(snapshot, now_s) }
        samples = due.filter_map do |snapshot|
          rescuing(snapshot.pid, bad) { sample(snapshot, host, now_s).merge(master(snapshot, parents)) }
        end
        local = snapshots.find(&:here?)
        return samples unless local
        @work_times << TimedWork.new(ns: @work_ns.call, at_s: now_s, setting: local.setting)
        return samples unless container_due?(now_s)
        container = rescuing(CONTAINER, bad) { container(local, host, now_s, snapshots.sum(&:bytes)) }
        [*samples, *([container] if container)]
      end

      # The caller does this after the commit.
      def committed(samples)
        samples.each { |sample| @last[key(sample)] = LastSample.of(sample, @last[key(sample)], @spread) }
        @work_times.clear if samples.any? { |sample| sample[:pid] == CONTAINER }
        @last.delete_if { |_, seen| seen.at_s < samples.last[:at_s] - 2 * EVERY_S } if samples.any?
      end

      # Samples each process at the next tick, even if it was just sampled: for the begin and end of a trial.
      def forget = @last.clear

      # `ns`: nil if unknown; `setting`: that a process of this host had then
      TimedWork = Data.define(:ns, :at_s, :setting)
      private_constant :TimedWork

      # When a process was last sampled and is due, whether it had ended, and its levers as of `levers_s`.
      LastSample = Data.define(:at_s, :due_s, :ended, :levers, :levers_s) do
        def self.of(sample, before, spread)
          levers = sample.select { |key, _| key.start_with?("lever.") }
          at_s = sample[:at_s]
          sooner_s = before ? 0 : spread.call(sample[:pid])
          now = {at_s:, due_s: at_s + EVERY_S - sooner_s, ended: sample[:ended]}
          (levers.empty? && before) ? before.with(**now) : new(**now, levers:, levers_s: at_s)
        end
      end
      private_constant :LastSample

      private

      def rescuing(pid, bad)
        yield
      rescue => error
        raise unless bad
        bad.call(pid, error)
        nil
      end

      # A process that stopped and restarted measuring has two segments but is one process.
      def newest(snapshots)
        by_age = snapshots.sort_by { |snapshot| snapshot.header.created_ns }
        by_age.to_h { |snapshot| [snapshot.key, snapshot] }.values
      end

      def due?(snapshot, now_s)
        last = @last[snapshot.key]
        return true unless last
        snapshot.ended? ? !last.ended : now_s >= last.due_s
      end

      def container_due?(now_s)
        last = @last[[CONTAINER, nil]]
        last.nil? || now_s >= last.due_s
      end

      def key(sample) = sample.values_at(:pid, :start)

      def sample(snapshot, host, now_s)
        at_s = snapshot.ended? ? end_s(snapshot, now_s) : now_s
        system_facts = snapshot.here? ? @facts.call(snapshot.pid) : {}
        {at_s:, host:, **snapshot.facts, **levers(snapshot, at_s), **system_facts}
      end

      # The first ancestor that is not measured itself, because a worker may fork another one.
      def master(snapshot, parents)
        return {} unless snapshot.here? && snapshot.ended_with_others?
        pid = snapshot.header.parent
        others = parents.dup
        pid = others.delete(pid) while others.key?(pid)
        {master_pid: pid, master_rss_bytes: @rss.call(pid)}.compact
      end

      # A process that hung before it was killed ticked last before its last sample.
      def end_s(snapshot, now_s)
        last_s = @last[snapshot.key]&.at_s
        end_s = (last_s && snapshot.heartbeat_s <= last_s) ? last_s + 1 : snapshot.heartbeat_s
        [end_s, now_s].min
      end

      # Levers hardly change and are long.
      def levers(snapshot, at_s)
        last = @last[snapshot.key]
        known = last && last.levers == snapshot.levers && at_s < last.levers_s + LEVERS_EVERY_S
        known ? {} : snapshot.levers
      end

      def container(snapshot, host, now_s, segment_bytes)
        facts = {fixed_work_ns: mean_work_ns, **work_of_arms, **@container.call(snapshot.pid)}.compact
        {at_s: now_s, host:, pid: CONTAINER, name: "container", segment_bytes:, **@own.call, **facts}
      end

      # @return [Integer, nil] nil if unknown
      def mean_work_ns
        known = @work_times.filter_map(&:ns)
        known.sum / known.size if known.any?
      end

      # @return [Hash{Symbol => Integer}] none without an experiment
      def work_of_arms
        in_arms = @work_times.select { |work| work.ns && work.setting[Setting::LABEL] }.group_by(&:setting)
        in_arms.map { |setting, own|
          means = [own.sum(&:ns), own.sum(&:at_s)].map { |sum| sum / own.size }
          Analysis::Machine::ArmWork.keys(setting.fingerprint).zip(means).to_h
        }.inject({}, :merge)
      end
    end

    # What the collector costs the host, as part of the container's sample, because the collector does not
    # measure itself. In its own process that is the whole process; in a thread of an application only the
    # thread's CPU is known.
    class ProcessSampler::CollectorUsage
      RSS = /^VmRSS:\s+(\d+) kB/

      def initialize(status: "/proc/self/status")
        @status = status
      end

      # @return [Hash{Symbol => Integer}] collector_cpu_ns since its start, collector_rss_bytes, if known
      def call
        return {collector_cpu_ns: cpu_ns(Process::CLOCK_THREAD_CPUTIME_ID)} unless own_process?
        cpu_ns = cpu_ns(Process::CLOCK_PROCESS_CPUTIME_ID)
        {collector_cpu_ns: cpu_ns, collector_rss_bytes: rss_bytes}.compact
      end

      private

      def own_process? = Thread.current.equal?(Thread.main)

      def cpu_ns(clock)
        Process.clock_gettime(clock, :nanosecond)
      end

      def rss_bytes
        kib = File.binread(@status)[RSS, 1]
        kib && kib.to_i * ProcessSampler::ProcessFacts::KIB
      rescue SystemCallError
        nil
      end
    end

    class ProcessSampler
      # What the system knows about a process, read from outside at no cost to it, except PSS (its share of
      # memory, shared pages divided) and USS (memory that only it has): for these the kernel walks all pages
      # and blocks changes of its memory map meanwhile, so read them seldom.
      class ProcessFacts
        KIB = 1024
        # How long a thread waited for a CPU: the second number.
        RUN_DELAY = /\A\d+ (\d+)/

        # @param ticks_per_s [Integer] unit of CPU times in /proc
        def initialize(proc: "/proc", ticks_per_s: Etc.sysconf(Etc::SC_CLK_TCK))
          @proc = proc
          @ticks_per_s = ticks_per_s
        end

        # @return [Hash{Symbol => Integer}] rss_bytes, pss_bytes, uss_bytes, cpu_ns, run_delay_ns (of its
        #   living threads: falls when one ends); without unknown ones
        def call(pid)
          times = {cpu_ns: cpu_ns(pid), run_delay_ns: run_delay_ns(pid)}
          {rss_bytes: rss_bytes(pid), **memory(pid), **times}.compact
        end

        # Resident memory alone, at no cost to the process.
        def rss_bytes(pid)
          bytes(read(pid, "status"), /^VmRSS:\s+(\d+) kB/)
        end

        private

        def memory(pid)
          rollup = read(pid, "smaps_rollup")
          {
            pss_bytes: bytes(rollup, /^Pss:\s+(\d+) kB/),
            uss_bytes: bytes(rollup, /^Private_(?:Clean|Dirty|Hugetlb):\s+(\d+) kB/)
          }
        end

        # Sum of all matching lines.
        def bytes(text, pattern)
          found = text.to_s.scan(pattern)
          found.sum { |digits,| digits.to_i } * KIB if found.any?
        end

        def cpu_ns(pid)
          fields = read(pid, "stat")&.rpartition(")")&.last&.split
          fields && (fields[11].to_i + fields[12].to_i) * NS / @ticks_per_s
        end

        # The file of the process covers its first thread only.
        def run_delay_ns(pid)
          threads = Dir.children(File.join(@proc, pid.to_s, "task"))
          delays = threads.filter_map { |thread| read(pid, "task/#{thread}/schedstat")&.slice(RUN_DELAY, 1) }
          delays.sum(&:to_i) if delays.any?
        rescue SystemCallError
          nil
        end

        def read(pid, file)
          File.binread(File.join(@proc, pid.to_s, file)) # has the process's name, which may be any bytes
        rescue SystemCallError
          nil
        end
      end
    end
  end
end
