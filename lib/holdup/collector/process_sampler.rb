# frozen_string_literal: true

module Holdup
  class Collector
    # How each process is, once a minute, at first sight and when it has ended: what it says itself (gauges,
    # counters and profile of its segment) and what the system says about it. The system wins where both know,
    # because it still knows when the process hangs. With each of them comes one sample of their container,
    # which has no pid (0) and tells what the collector and all segments take (CollectorUsage,
    # `segment_bytes`).
    #
    # Keys of a sample, beside at_s, host and pid:
    # - `name`, `setting`, `generation`, `parent`, `start`, `since_s` (since when it is measured), `server`
    #   ("puma", "puma+sidekiq"), `ended` (true in the last)
    # - the segment's counters and gauges; ProcessFacts
    # - "pool.N" (name), "pool.N.max", "pool.N.busy", "pool.N.backlog", "pool.N.oldest_ns", "pool.N.busy_ns"
    #   for each pool
    # - `master_pid` and `master_rss_bytes`, where what ends the process counts its master too
    # - `ticked_ns`: as of when the segment's counters and gauges are
    # - "jit.at", "killer.name" and so on: what the profile tells of the JIT and of what ends the process
    #   (docs/segment.md)
    # - "lever.NAME.value" and so on: at first sight, when one changes, and once an hour
    class ProcessSampler
      EVERY_S = 60
      LEVERS_EVERY_S = 3600
      # Processes that were started together are not looked at together ever after: the second sample of each
      # comes so much sooner at most, by its pid, because to look at memory holds a process up.
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
      # @param host [String]
      # @param now_ns [Integer]
      # @yieldparam pid [Integer] of which there can't be a sample; without a block that is raised
      # @yieldparam error [StandardError]
      # @return [Array<Hash{Symbol => Object}>] for Store#commit, of the processes whose time has come
      def samples(snapshots, host, now_ns, &bad)
        now_s = now_ns / 1_000_000_000
        newest = newest(snapshots)
        parents = newest.to_h { |snapshot| [snapshot.pid, snapshot.header.parent] }
        due = newest.select { |snapshot| due?(snapshot, now_s) }
        samples = due.filter_map do |snapshot|
          alone(snapshot.pid, bad) { sample(snapshot, host, now_s).merge(master(snapshot, parents)) }
        end
        one = snapshots.find(&:here?)
        return samples unless one && container_due?(now_s)
        samples + [alone(CONTAINER, bad) { container(one, host, now_s, snapshots.sum(&:bytes)) }].compact
      end

      # These samples are in the store now.
      # @param samples [Array<Hash>]
      # @return [void]
      def committed(samples)
        samples.each { |sample| @last[key(sample)] = LastSample.of(sample, @last[key(sample)], @spread) }
        @last.delete_if { |_, seen| seen.at_s < samples.last[:at_s] - 2 * EVERY_S } if samples.any?
      end

      # At the next tick each process is sampled, however lately it was: where that begins or ends what
      # somebody looks at.
      # @return [void]
      def forget = @last.clear

      # When a process was sampled last and is to be again, whether that was its end, and the levers that it
      # had, as of when.
      LastSample = Data.define(:at_s, :due_s, :ended, :levers, :levers_s) do
        def self.of(sample, before, spread)
          levers = sample.select { |key, _| key.start_with?("lever.") }
          now = {at_s: sample[:at_s],
                 due_s: sample[:at_s] + EVERY_S - (before ? 0 : spread.call(sample[:pid])), ended: sample[:ended]}
          (levers.empty? && before) ? before.with(**now) : new(**now, levers:, levers_s: sample[:at_s])
        end
      end
      private_constant :LastSample

      private

      def alone(pid, bad)
        yield
      rescue => error
        raise unless bad
        bad.call(pid, error)
        nil
      end

      # A process that stopped and started measuring has two segments and is one process.
      def newest(snapshots)
        snapshots.sort_by { |snapshot| snapshot.header.created_ns }.to_h { |snapshot|
          [snapshot.key,
            snapshot]
        }.values
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
        {at_s:, host:, **snapshot.facts, **levers(snapshot, at_s),
         **(snapshot.here? ? @facts.call(snapshot.pid) : {})}
      end

      # Who is no process that measures itself: a worker may have been forked by another one.
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
        told_s = (last_s && snapshot.heartbeat_s <= last_s) ? last_s + 1 : snapshot.heartbeat_s
        [told_s, now_s].min
      end

      # They hardly change and are long.
      def levers(snapshot, at_s)
        last = @last[snapshot.key]
        (last && last.levers == snapshot.levers && at_s < last.levers_s + LEVERS_EVERY_S) ? {} : snapshot.levers
      end

      def container(snapshot, host, now_s, segment_bytes)
        {at_s: now_s, host:, pid: CONTAINER, name: "container", segment_bytes:, **@own.call,
         **@container.call(snapshot.pid)}
      end
    end
  end
end
