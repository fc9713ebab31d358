# frozen_string_literal: true

module Holdup
  class Collector
    # How each process is, once a minute, at first sight and when it has ended: what it says itself (gauges,
    # counters and profile of its segment) and what the system says about it. Where both know, the system
    # wins, because it still knows when the process hangs. With them comes one sample of their container,
    # which has no pid (0) and has what the collector and all segments take (CollectorUsage, `segment_bytes`).
    #
    # Keys of a sample, besides at_s, host and pid:
    # - `name`, `setting`, `generation`, `parent`, `start`, `since_s` (since when it is measured), `server`
    #   ("puma", "puma+sidekiq"), `ended` (true in the last)
    # - the segment's counters and gauges; ProcessFacts
    # - "pool.N" (name), "pool.N.max", "pool.N.busy", "pool.N.backlog", "pool.N.oldest_ns", "pool.N.busy_ns"
    #   for each pool
    # - `master_pid` and `master_rss_bytes`, where what ends the process counts its master too
    # - `ticked_ns`: as of when the segment's counters and gauges are
    # - "jit.at", "killer.name" and so on: what the profile has of the JIT and of what ends the process
    #   (docs/segment.md)
    # - "lever.NAME.value" and so on: at first sight, when one changes, and once an hour
    class ProcessSampler
      EVERY_S = 60
      LEVERS_EVERY_S = 3600
      # Reading its memory holds a process up, so processes that were started together are sampled apart: the
      # second sample of each comes up to so much sooner, by its pid.
      SPREAD_S = 30
      CONTAINER = 0

      # @param facts [#call] pid => what the system says of a process
      # @param container [#call] pid => what it says of that process's container
      # @param own [#call] what it says of the collector itself
      # @param spread [#call] pid => seconds that its second sample comes sooner
      # @param rss [#call] pid => its resident memory
      def initialize(facts: ProcessFacts.new, container: ContainerFacts.new, own: CollectorUsage.new,
        spread: ->(pid) { pid % SPREAD_S }, rss: ProcessFacts.new.method(:rss_bytes))
        @facts = facts
        @rss = rss
        @spread = spread
        @container = container
        @own = own
        @last = {}
      end

      # @param snapshots [Array<ProcessSnapshot>] of all segments that were read
      # @yieldparam pid [Integer] of which there can't be a sample; without a block that is raised
      # @return [Array<Hash{Symbol => Object}>] for Store#commit, of the processes whose time has come
      def samples(snapshots, host, now_ns, &bad)
        now_s = now_ns / 1_000_000_000
        newest = newest(snapshots)
        parents = newest.to_h { |snapshot| [snapshot.pid, snapshot.header.parent] }
        due = newest.select { |snapshot| due?(snapshot, now_s) }
        samples = due.filter_map do |snapshot|
          rescuing(snapshot.pid, bad) { sample(snapshot, host, now_s).merge(master(snapshot, parents)) }
        end
        local = snapshots.find(&:here?)
        return samples unless local && container_due?(now_s)
        container = rescuing(CONTAINER, bad) { container(local, host, now_s, snapshots.sum(&:bytes)) }
        [*samples, *([container] if container)]
      end

      # These samples are in the store now.
      def committed(samples)
        samples.each { |sample| @last[key(sample)] = LastSample.of(sample, @last[key(sample)], @spread) }
        @last.delete_if { |_, seen| seen.at_s < samples.last[:at_s] - 2 * EVERY_S } if samples.any?
      end

      # At the next tick each process is sampled, however lately it was: where a trial begins or ends.
      def forget = @last.clear

      # When a process was sampled last and is to be again, whether that was its end, and the levers that it
      # had, as of when.
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

      # A process that stopped and started measuring has two segments and is one process.
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

      # The first ancestor that is not measured itself: a worker may have been forked by another one.
      def master(snapshot, parents)
        return {} unless snapshot.here? && snapshot.ended_with_others?
        pid = snapshot.header.parent
        others = parents.dup
        pid = others.delete(pid) while others.key?(pid)
        {master_pid: pid, master_rss_bytes: @rss.call(pid)}.compact
      end

      # One that hung before it was killed ticked last before it was sampled last.
      def end_s(snapshot, now_s)
        last_s = @last[snapshot.key]&.at_s
        end_s = (last_s && snapshot.heartbeat_s <= last_s) ? last_s + 1 : snapshot.heartbeat_s
        [end_s, now_s].min
      end

      # They hardly change and are long.
      def levers(snapshot, at_s)
        last = @last[snapshot.key]
        known = last && last.levers == snapshot.levers && at_s < last.levers_s + LEVERS_EVERY_S
        known ? {} : snapshot.levers
      end

      def container(snapshot, host, now_s, segment_bytes)
        facts = @container.call(snapshot.pid)
        {at_s: now_s, host:, pid: CONTAINER, name: "container", segment_bytes:, **@own.call, **facts}
      end
    end

    # What the collector costs the host: part of the container's samples, because it does not measure itself.
    # In a process of its own that is all of the process; in a thread of an application, as in development,
    # only the thread's CPU is known.
    class ProcessSampler::CollectorUsage
      KIB = 1024
      RSS = /^VmRSS:\s+(\d+) kB/

      # @param status [String] where the system says the memory of this process
      def initialize(status: "/proc/self/status")
        @status = status
      end

      # @return [Hash{Symbol => Integer}] collector_cpu_ns since it started, collector_rss_bytes; without what
      #   is unknown
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
        kib && kib.to_i * KIB
      rescue SystemCallError
        nil
      end
    end
  end
end
