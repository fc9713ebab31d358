# frozen_string_literal: true

require "json"
require "zlib"

module Holdup
  module Stores
    # Copies everything of one store into another, which may have measurements of other hosts. Each part is
    # one commit together with its position, so an interrupted copy goes on where it stopped and counts
    # nothing twice, and one that is run again copies what came since. While a collector writes to the source,
    # its newest minutes are left for the next run. What is added later to minutes that were copied is
    # missing, and what others write to the target for the same hosts is too much: the counts at the end show
    # both.
    class Copy
      # Seconds of short windows that are copied at once; longer windows are copied by the day.
      PART_S = 3600
      LENGTHS = Store::Tier::KEEP_S.keys
      # A collector that wrote within so many seconds may be running.
      RUNNING_S = 60
      # The newest minutes, which a running collector may still add to.
      OPEN_S = 300
      PREFIX = "#copy "
      private_constant :PART_S, :LENGTHS, :RUNNING_S, :OPEN_S, :PREFIX

      # Requests, jobs and other windows of one host. `source`: in the source; `taken`: what was read of it in
      # all runs; `copied`: what the target has more than before
      HostCount = Data.define(:host, :source, :taken, :copied) do
        def equal? = source == copied

        # Whether the source has got more for minutes that were copied already.
        def source_changed? = source != taken

        # Whether the target has got something for that host by others.
        def target_changed? = copied != taken
      end

      # What was copied. `windows`: how many, in all runs; `hosts`: Array of HostCount; `left_from_s`: start
      # of the minutes that are left because a collector writes to the source, or nil
      Result = Data.define(:windows, :hosts, :left_from_s) do
        def complete? = hosts.all?(&:equal?)
      end

      # @param from [Store::Reader]
      # @param to [Store::Reader, Store::Writer]
      # @param name [String] of the source, the same each time
      def initialize(from:, to:, name:, now_s:)
        @from = from
        @to = to
        @key = "#{PREFIX}#{Zlib.crc32(name)} #{name[-300..] || name}"
        @now_s = now_s
      end

      # @yieldparam at_s [Integer] second up to which it is copied
      # @yieldparam windows [Integer] copied so far
      # @return [Result]
      # @raise [StoreError]
      def call
        known = stored_position
        @position = known || first_position
        left_from_s = open_from_s
        end_s = [end_of_source, *left_from_s].min
        while @position.at_s < end_s && !(known && all_taken?(end_s))
          known = nil
          copy_part([part_end(@position.at_s), end_s].min)
          yield @position.at_s, @position.windows if block_given?
        end
        copy_rest
        Result.new(windows: @position.windows, hosts: counts(end_s), left_from_s:)
      end

      # How far a copy has come. `before`: {String => Integer}: by host, what the target had of it; `taken`:
      # likewise, what was read of the source; `rest`: checksums of the checkpoints that were copied, by
      # segment; nil: none yet
      Position = Data.define(:at_s, :windows, :before, :taken, :rest) do
        def self.parse(text)
          facts = JSON.parse(text, symbolize_names: false)
          new(**members.to_h { |name| [name, facts[name.name]] })
        end

        def to_s = JSON.generate(to_h)
      end

      private

      def stored_position
        text = @to.checkpoints[@key]
        text && Position.parse(text)
      end

      # The target's own longer windows are filled first: all that is copied comes late, and is added to them.
      def first_position
        @to.rollup(@now_s)
        @to.kept_from(@from.tiers.to_h { |tier| [tier.seconds, tier.kept_from_s] })
        oldest_s = @from.health[:oldest_s] || 0
        before = units(@to, hosts, end_of_source)
        Position.new(at_s: oldest_s / DAY_S * DAY_S, windows: 0, before:, taken: {}, rest: nil)
      end

      # @return [Integer, nil] start of the minutes that a running collector may still add to; nil: none runs
      def open_from_s
        written_s = @from.collector_checkpoints.map { |checkpoint| checkpoint.at_ns / NS }.max || 0
        from_s = Store::Tier.fresh.first.floor(@now_s - OPEN_S)
        from_s if written_s > @now_s - RUNNING_S && from_s < end_of_source && short_windows?(from_s)
      end

      def short_windows?(second) = @from.finest_s(second) == Store::Tier::FINEST

      # The last window seems to end after what was copied of it if the source has only long ones left.
      def all_taken?(end_s) = units(@from, nil, end_s) == @position.taken

      # A part ends at the end of a window of the longest kind that it may meet.
      def part_end(at_s)
        length = (@from.finest_s(at_s) < PART_S) ? PART_S : DAY_S
        at_s / length * length + length
      end

      def copy_part(to_s)
        at_s = @position.at_s
        windows = @from.windows(at_s, to_s, seconds: Store::Tier::FINEST).to_a
        check(windows, at_s)
        taken = windows.group_by(&:host).transform_values { |some| some.sum(&:count) }
        taken = @position.taken.merge(taken) { |_, one, other| one + other }
        @position = @position.with(at_s: to_s, windows: @position.windows + windows.size, taken:)
        @to.commit(windows, {@key => @position.to_s}, lengths: LENGTHS, unit_samples: blocks(at_s, to_s),
          slowest: @from.slowest_blocks(at_s, to_s), arrivals: @from.arrivals(at_s, to_s),
          processes: @from.processes(at_s, to_s))
      end

      # The rest of a longer window would be counted with what was copied of it.
      def check(windows, at_s)
        return if windows.empty? || windows.first.start_s >= at_s
        raise Error.new("the source has pruned short windows since this copy began",
          "copy into a new store")
      end

      # The blocks are as they are stored: the weight of a unit is what its block saw for each that it has.
      def blocks(from_s, to_s)
        blocks = SampleBlock.of(@from.unit_samples(from_s, to_s).to_a)
        blocks.map { |block| block.with(seen: block.unit_samples.sum(&:weight).round) }
      end

      def copy_rest
        new_collector_checkpoints.each { |one| @to.commit([], {}, collector_checkpoint: one) }
        @from.outcomes.each { |outcome| @to.keep(outcome) }
        changed = changed_checkpoints
        skipped = @position.rest ? [] : @from.skipped_rows
        @position = @position.with(rest: changed.transform_values { |checkpoint| Zlib.crc32(checkpoint) })
        @to.commit([], {**changed, @key => @position.to_s}, skipped:, paths: @from.paths,
          audit: @from.audit_entries(0, @now_s + DAY_S), deaths: @from.deaths(0, @now_s + DAY_S),
          notices: @from.notices(0, @now_s + DAY_S))
      end

      # The next collector would carry again what is still in the segments if these were missing. One of a
      # collector that writes to the target already stays.
      def changed_checkpoints
        there = @to.checkpoints
        copied = @position.rest || {}
        @from.checkpoints.reject do |segment, _|
          # How far another copy came is of the store that it went to.
          next true if segment.start_with?(PREFIX)
          there.key?(segment) && Zlib.crc32(there[segment]) != copied[segment]
        end
      end

      def new_collector_checkpoints
        there = @to.collector_checkpoints.to_h { |one| [one.key, one.at_ns] }
        @from.collector_checkpoints.select { |one| one.at_ns > there.fetch(one.key, 0) }
      end

      def end_of_source
        @from.windows(0, @now_s + DAY_S, histograms: []).map { |one| one.start_s + one.seconds }.max || 0
      end

      def hosts = units(@from, nil, end_of_source).keys

      def counts(end_s)
        source = units(@from, nil, end_s)
        target = units(@to, source.keys, end_s)
        source.map do |host, count|
          copied = target.fetch(host, 0) - @position.before.fetch(host, 0)
          HostCount.new(host:, source: count, taken: @position.taken.fetch(host, 0), copied:)
        end
      end

      # The longest windows give the numbers, because there are few of them.
      # @return [Hash{String => Integer}] by host
      def units(store, hosts, end_s)
        store.windows(0, end_s, histograms: []).each_with_object({}) do |window, units|
          next if hosts && !hosts.include?(window.host)
          units[window.host] = units.fetch(window.host, 0) + window.count
        end
      end
    end
  end
end
