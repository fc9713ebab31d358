# frozen_string_literal: true

require "monitor"

module Holdup
  module Store
    # Keeps everything in this process, for tests and for a look without a file. Same interface and contract
    # test as Sql, which documents the methods.
    class Memory
      def initialize
        @rows = WindowRows.new
        @checkpoints = {}
        @processes = {}
        @paths = {}
        @outcomes = {}
        @answers = {}
        @skipped = {}
        @states = {}
        @audit = {}
        @unit_samples = UnitSamples.new
      end

      def commit(windows, checkpoints, processes: [], unit_samples: [], paths: {}, skipped: [],
        collector_checkpoint: nil, audit: [], lengths: [Tier::FINEST], expected: {}, &bad_row)
        @rows.transaction do
          check(expected)
          changes =
            if bad_row
              each_alone(windows, processes, unit_samples, paths, &bad_row)
            else
              changes(windows, processes, unit_samples, paths, lengths:)
            end
          checkpoints = checkpoints.transform_values { |blob| blob&.b&.freeze }
          changes.each(&:call) # none of them can fail
          @checkpoints = @checkpoints.merge(checkpoints).compact
          skip(skipped)
          @states[collector_checkpoint.key] = collector_checkpoint if collector_checkpoint
          @audit = @audit.merge(audit.to_h { |entry| [entry.source, entry] }) { |_, known, _| known }
        end
        nil
      end

      def snapshot = yield

      def part? = false

      def collector_checkpoints
        @rows.transaction { @states.values.sort_by { |state| -state.at_ns } }
      end

      def audit_entries(from_s, to_s, events: AuditEntry::EVENTS)
        found = @rows.transaction { @audit.values }
        found = found.select { |one| (from_s...to_s).cover?(one.at_s) && events.include?(one.event) }
        found.sort_by.with_index { |entry, index| [entry.at_s, index] }
      end

      def skipped_rows
        @rows.transaction { @skipped.values.sort_by { |row| -row.at_s } }
      end

      def paths
        @rows.transaction { @paths.dup }
      end

      def checkpoints(host: nil)
        @rows.transaction do
          @checkpoints.select { |segment, _| host.nil? || segment.start_with?("#{host} ") }
        end
      end

      def windows(from_s, to_s, seconds: nil, hosts: nil, histograms: Window::HISTOGRAMS, **filter)
        filter = SeriesFilter.new(**filter)
        Enumerator.new do |windows|
          Tier::ReadPlan.new(@rows.tiers).ranges(from_s, to_s, seconds:).each do |range|
            wanted = @rows.between(range.seconds, range.from_s, range.to_s)
            wanted.select! { |window| filter.match?(window.series) }
            wanted.select! { |window| hosts.include?(window.host) } if hosts
            wanted.each { |window| windows << window.spread_of(histograms) }
          end
        end
      end

      def sums(from_s, to_s, step_s: nil, seconds: step_s, settings: nil, together: nil, by_host: false,
        histograms: Window::HISTOGRAMS, heads: [], **filter)
        windows = windows(from_s, to_s, seconds:, **filter)
        SpanSum.of(windows, step_s:, settings:, together:, by_host:, histograms:, heads:)
      end

      def setting_starts(from_s, to_s, step_s:, **filter)
        windows = windows(from_s, to_s, seconds: step_s, **filter)
        by_step = windows.group_by { |window| [window.start_s / step_s, window.setting] }
        by_step.map { |(_, setting), same| [same.map(&:start_s).min, setting] }
      end

      def stalls(...)
        windows(...).lazy.map { |window| WindowStall.of(window) }
      end

      def stall_sums(from_s, to_s, step_s:, **filter)
        WindowStall.of_steps(sums(from_s, to_s, step_s:, histograms: [:stalled], **filter), step_s)
      end

      def finest_s(from_s)
        Tier.finest_s(@rows.tiers, from_s)
      end

      def processes(from_s, to_s, every_s: nil)
        span = (from_s...to_s)
        samples = @rows.transaction { @processes.values.select { |sample| span.cover?(sample[:at_s]) } }
        samples = samples.sort_by { |sample| sample[:at_s] }
        every_s ? last_of_each(samples, every_s) : samples
      end

      def unit_samples(from_s, to_s, setting: nil, most: SampleBlock::MOST)
        Enumerator.new do |samples|
          found = @rows.transaction { @unit_samples.between(from_s, to_s, setting, most) }
          found.each { |sample| samples << sample }
        end
      end

      def unit_spans(starts)
        @rows.transaction { @unit_samples.spans(starts) }
      end

      def unit_sample_starts(from_s, to_s)
        @rows.transaction { @unit_samples.starts(from_s, to_s) }
      end

      def tiers
        @rows.transaction { @rows.tiers }
      end

      def kept_from(starts)
        @rows.transaction do
          limited = Tier.kept_from(@rows.tiers, starts)
          raise StoreError::RollingUp.new(location: "memory:") unless limited
          limited.each { |tier| @rows.save_tier(tier) }
        end
        nil
      end

      def settings
        @rows.transaction { @rows.windows.map(&:setting).uniq }
      end

      def hosts
        @rows.transaction { @rows.windows.map(&:host).uniq.sort }
      end

      def keep(outcome)
        @rows.transaction { @outcomes[outcome.key] = outcome }
        nil
      end

      def outcomes
        @rows.transaction { @outcomes.values.sort_by(&:at_s) }
      end

      def keep_answer(answer)
        @rows.transaction { @answers[answer.question] = answer }
        nil
      end

      def answer(question)
        @rows.transaction { @answers[question] }
      end

      def clock_s = nil

      def rollup(now_s) = Tier::Rollup.new(@rows).run(now_s)

      def prune(now_s, max_bytes: nil)
        max_bytes ||= DEFAULT_MAX_BYTES
        @rows.transaction do
          @processes.reject! { |_, sample| sample[:at_s] < now_s - Tier::KEEP_S.fetch(Tier::FINEST) }
          @unit_samples.prune(now_s, max_bytes)
          @outcomes.delete_if { |_, outcome| outcome.at_s < now_s - Tier::LONGEST_S }
          @answers.delete_if { |_, answer| answer.at_s < now_s - KeptAnswer::KEEP_S }
          @audit.delete_if { |_, entry| entry.at_s < now_s - AuditEntry::KEEP_S }
          @skipped.delete_if { |_, row| row.at_s < now_s - SkippedRow::KEEP_S }
          prune_progress(now_s)
          states_from_ns = (now_s - CollectorCheckpoint::KEEP_S) * 1_000_000_000
          @states.delete_if { |_, state| state.at_ns < states_from_ns }
        end
        Tier::Pruning.new(@rows).run(now_s, max_bytes:)
      end

      def extent
        @rows.windows.map(&:start_s).minmax.compact
      end

      def health
        oldest_s, newest_s = extent
        series = @rows.windows.map(&:series).uniq.size
        {location: "memory:", schema: nil, bytes: @rows.bytes, read_only: false, series:, oldest_s:,
         newest_s:}
      end

      def migrate! = nil

      def close = nil

      private

      def check(expected)
        return if expected.all? { |segment, state| @checkpoints[segment] == state&.b }
        raise StoreError::Overtaken.new(location: "memory:")
      end

      def prune_progress(now_s)
        CheckpointNames.silent(@states.values, now_s).each do |id|
          own = @checkpoints.keys.select { |name| name.start_with?(CheckpointNames.scope(id)) }
          changes = CheckpointNames.pruned(id, own, @checkpoints[CheckpointNames.token(id)], now_s)
          @checkpoints = @checkpoints.merge(changes).compact
        end
        @checkpoints = @checkpoints.except(*CheckpointNames.forgotten(@checkpoints, now_s))
      end

      def last_of_each(samples, every_s)
        last = samples.to_h { |sample| [[sample[:host], sample[:pid], sample[:at_s] / every_s], sample] }
        last.values.sort_by { |sample| sample[:at_s] }
      end

      # Whatever may fail does so here, before any change.
      def changes(windows, processes, unit_samples, paths, lengths: [Tier::FINEST])
        rows = WindowBatch.new(windows, lengths:).rows(@rows.tiers)
        samples = processes.to_h { |sample| [sample.fetch_values(:at_s, :host, :pid), sample.dup.freeze] }
        blocks = @unit_samples.merged(unit_samples)
        [-> { @rows.merge(rows) }, -> { @processes.merge!(samples) }, -> { @unit_samples.save(blocks) },
          -> { @paths.merge!(paths) }]
      end

      def each_alone(windows, processes, unit_samples, paths, &bad_row)
        faults = []
        changes = windows.flat_map { |window| alone(window, faults) { changes([window], [], [], {}) } }
        raise faults.first.last if faults.any? && faults.size == windows.size
        changes += processes.flat_map { |sample| alone(sample, faults) { changes([], [sample], [], {}) } }
        changes += unit_samples.flat_map { |block| alone(block, faults) { changes([], [], [block], {}) } }
        changes += paths.flat_map { |path| alone(path, faults) { changes([], [], [], [path].to_h) } }
        changes << -> { skip(faults.map(&bad_row)) }
      end

      def alone(row, faults)
        yield
      rescue => error
        faults << [row, error]
        []
      end

      def skip(rows)
        rows.each { |row| @skipped[row.key] = @skipped[row.key]&.merge(row) || row }
      end

      # Windows in hashes by tier and start, with the operations that roll-up and pruning need.
      class WindowRows
        BYTES_A_ROW = 2_000 # a guess that lets a size cap work here too

        def initialize
          @lock = Monitor.new
          @tiers = Tier.fresh.to_h { |tier| [tier.seconds, tier] }
          @rows = @tiers.transform_values { {} }
        end

        # Nothing inside can fail half way, so a lock is enough for a transaction.
        def transaction(&) = @lock.synchronize(&)

        def tiers
          transaction { @tiers.values }
        end

        def save_tier(tier) = @tiers[tier.seconds] = tier

        # @return [Integer, nil] first start at or after that second, and before `to_s`
        def first_start(seconds, from_s, to_s = nil)
          @rows[seconds].keys.select { |start_s| (from_s...to_s).cover?(start_s) }.min
        end

        def between(seconds, from_s, to_s)
          transaction do
            starts = @rows[seconds].keys.select { |start_s| start_s >= from_s && start_s < to_s }
            starts.sort.flat_map { |start_s| @rows[seconds][start_s].values }
          end
        end

        # @return [Array<Window>] one for each series, setting and host
        def summed(seconds, from_s, to_s)
          by_origin = between(seconds, from_s, to_s).group_by { |one| [one.series, one.setting, one.host] }
          by_origin.values.map { |same| Window.sum(same) }
        end

        # Adds windows to the existing rows.
        def merge(windows)
          windows.each do |window|
            rows = @rows[window.seconds][window.start_s] ||= {}
            key = [window.series, window.setting, window.host]
            rows[key] = rows[key] ? rows[key].merge(window) : window
          end
        end

        # Makes these the only rows of one span.
        def replace(seconds, start_s, windows)
          @rows[seconds].delete(start_s)
          merge(windows)
        end

        def delete_before(seconds, before_s)
          old, @rows[seconds] = @rows[seconds].partition { |start_s, _| start_s < before_s }.map(&:to_h)
          old.sum { |_, rows| rows.size }
        end

        def windows
          transaction { @rows.values.flat_map { |starts| starts.values.flat_map(&:values) } }
        end

        def bytes = windows.size * BYTES_A_ROW
      end
    end

    class Memory::UnitSamples
      BYTES_A_UNIT = 20

      def initialize
        @blocks = {}
      end

      # @return [Array<SampleBlock>] the existing samples with the units of the blocks added
      def merged(blocks)
        blocks.group_by(&:key).map do |key, same|
          known = @blocks[key] || same.first.with(seen: 0, unit_samples: [])
          same.inject(known) { |merged, block| merged.merge(block) }
        end
      end

      # @param blocks [Array<SampleBlock>] replace those with the same key
      def save(blocks)
        blocks.each { |block| @blocks[block.key] = block }
      end

      def between(from_s, to_s, setting, most)
        blocks = @blocks.values.select { |block| setting.nil? || block.setting == setting }
        SampleRetention.between(blocks.map { |block| block.merge(most:) }, from_s, to_s)
      end

      def spans(starts)
        blocks = @blocks.values.select { |block| starts.include?(block.start_s) }
        blocks.group_by(&:start_s).transform_values { |same| same.map(&:unit_spans) }
      end

      def starts(from_s, to_s)
        in_span(from_s, to_s).map(&:start_s).uniq.sort
      end

      def prune(now_s, max_bytes)
        newest_first = @blocks.values.sort_by { |block| -block.start_s }
        sizes = newest_first.map { |block| [block.start_s, block.unit_samples.size * BYTES_A_UNIT] }
        from_s = SampleRetention.from_s(sizes, now_s, max_bytes)
        @blocks.delete_if { |_, block| block.start_s < from_s }
      end

      private

      def in_span(from_s, to_s)
        @blocks.values.select { |block| block.start_s > from_s - SampleBlock::SECONDS && block.start_s < to_s }
      end
    end
  end
end
