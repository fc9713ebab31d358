# frozen_string_literal: true

module Holdup
  module Analysis
    # Figures over time, step by step, for charts. Each list has one value for each step, nil where it is
    # unknown: no unit ended in it, or nothing was measured at all.
    #
    #   series = Queries::TimeSeriesQuery.call(store, from_s: from, to_s: to)
    #   series.at_s              # => [1790000040, 1790000100, ...]
    #   series.shares[:stalled]  # => [0.21, nil, ...]
    class TimeSeries
      QUANTILES = {p50: 0.5, p95: 0.95, p99: 0.99}.freeze
      # Share of a step that was measured if its figures stand for all of it: the rest is when a round of the
      # collector came late.
      COMPLETE = 0.95
      # A line with fewer complete steps keeps its last partial one.
      FEWEST_STEPS = 3
      # Methods of #method_stalls: more lines are hard to distinguish.
      METHODS = 5

      # Start of each step, seconds since 1970, ascending and without gaps.
      attr_reader :at_s

      attr_reader :step_s

      # Share of time for which the processes of one server held their GVLs ({server => list}): 1.0 is a GVL
      # that is never free. Of all that ran, whatever units were chosen. Unknown in a step that was measured
      # in part: its processes count for the whole step.
      attr_reader :gvl

      # @param to_s [Integer] end of the last step, if it is shorter
      # @param windows [Hash{Integer => Window}] of the chosen units, by the start of the step
      # @param measured [Set<Integer>, nil] starts of the steps in which anything was measured, even if only
      #   threads outside of units; nil: all
      # @param coverage [MeasuredTime] when such units were measured
      # @param caused [Hash{String => Hash{Integer => Integer}}] ns by method and start of the step
      # @param seconds [Hash{Integer => Float}] the time that a window covers, where it is not known from
      #   `coverage`, by the start of the step
      def initialize(at_s:, step_s:, to_s:, windows:, gvl: {}, measured: nil,
        coverage: MeasuredTime.whole(0, 0), caused: {}, seconds: {})
        @at_s = at_s
        @step_s = step_s
        @to_s = to_s
        @windows = at_s.map { |start_s| windows[start_s] }
        @measured = measured
        @coverage = coverage
        @caused = caused
        @seconds = seconds
        @gvl = gvl.transform_values { |values| complete(values) }.reject { |_, values| values.none? }
        @quantiles = {}
      end

      # @return [Boolean] whether no unit ended in the span
      def empty?
        @windows.none? { |window| counted?(window) }
      end

      def known?(key)
        @windows.any? { |window| counted?(window) && window.histograms[key].count.positive? }
      end

      # @return [Hash{Symbol => Array<Float, nil>}] share of the elapsed time by state
      def shares
        @shares ||= begin
          splits = @windows.map { |window| SeriesRow::StateSplit.of(window) if counted?(window) }
          SeriesRow::StateSplit.members.to_h { |state| [state, splits.map { |split| split&.share(state) }] }
        end
      end

      # Units that ended per measured second: 0.0 where a process was measured and none did.
      def per_second
        @windows.each_with_index.map { |window, index| rate(window, index) if measured?(index) }
      end

      # @return [Hash{String => Array<Float, nil>}] ns that others stalled because of each method, in each
      #   unit: methods that caused most
      def method_stalls
        most = @caused.max_by(METHODS) { |_, steps| steps.values.sum }
        most.to_h do |method, steps|
          values = at_s.zip(@windows).map do |start_s, window|
            steps.fetch(start_s, 0).fdiv(window.count) if counted?(window)
          end
          [method, values]
        end
      end

      # Sentences use these values: half a minute has another mean than a whole one.
      # @param values [Array] one for each step
      # @return [Array] without those of steps that were measured in part
      def complete(values)
        values.each_with_index.map { |value, index| value if complete?(index) }
      end

      # Lines use these values: the last point of a recording that goes on always looks like a rise or a drop.
      # @param values [Array] one for each step
      # @return [Array] without that of a last step that was measured in part
      def without_partial_end(values)
        return values unless partial_end
        values.each_with_index.map { |value, index| value unless index == partial_end }
      end

      # @return [Float] of a step, those in which anything was measured
      def seconds(index)
        start_s = at_s[index]
        return @seconds[start_s] if @seconds.key?(start_s)
        length_s = [length_s(index), @windows[index]&.seconds.to_i].max
        measured_s = @coverage.seconds(start_s, start_s + length_s)
        measured_s.positive? ? measured_s : length_s.to_f
      end

      # @return [Hash{Integer => Integer}] how long requests and jobs waited for the GVL, by start of the step
      def stalled_ns
        known = at_s.zip(@windows).select { |_, window| counted?(window) }
        known.to_h { |start_s, window| [start_s, window.stalled_ns] }
      end

      # @return [Hash{Symbol => Array<Float, nil>}] requests and jobs in each state, on average: how many
      #   threads they keep so
      def in_state
        splits = @windows.map { |window| SeriesRow::StateSplit.of(window) if counted?(window) }
        SeriesRow::StateSplit.members.to_h do |state|
          values = splits.each_with_index.map do |split, index|
            next split.public_send(state).fdiv(seconds(index) * NS) if split
            0.0 if measured?(index)
          end
          [state, values]
        end
      end

      # @param key [Symbol] a key of Window::HISTOGRAMS
      # @return [Array<Float, nil>] ns, mean of those where it is known
      def mean(key)
        each_counted { |window| window.histograms[key].mean }
      end

      def measured?(index)
        counted?(@windows[index]) || @measured.nil? || @measured.include?(at_s[index])
      end

      # @return [Hash{Symbol => Array<Integer, nil>}] ns, by the keys of QUANTILES
      def quantiles(key) = QUANTILES.to_h { |name, _| [name, quantile(key, name)] }

      # @param name [Symbol] a key of QUANTILES
      # @return [Array<Integer, nil>] ns
      def quantile(key, name)
        @quantiles[[key, name]] ||= begin
          q = QUANTILES.fetch(name)
          each_counted { |window| window.histograms[key].quantile(q) }
        end
      end

      # A day has 1,440 steps, and a table shows the last few.
      # @return [TimeSeries] with the same lines, of the last steps alone
      def newest(count) = dup.without_first([at_s.size - count, 0].max)

      # The heat map of such times of units. `upto_ns`: the upper end of each band, ascending; the bands
      # follow each other without a gap, two for each doubling. `counts`: for each step, the units in each
      # band.
      # @return [Hash{Symbol => Array}]
      def heat(key = :wall)
        histograms = @windows.map { |window| window&.histograms&.fetch(key) }
        bands = HistogramBands::DurationBands.new(histograms, slots: HistogramBands::DurationBands::HEAT)
        {upto_ns: bands.upto_ns, counts: bands.counts}
      end

      # JSON has everything but the heat map. Times are Integers (means Floats) in ns.
      #
      #   {step_s: 60, at_s: [...], shares: {cpu: [...], starved: [...], stalled: [...], ...},
      #    per_second: [...], wall_ns: {p50: [...], p95: [...], p99: [...]},
      #    queued_ns: {mean: [...], p50: ...}, stalled_ns: {mean: [...], p50: ...},
      #    gvl: {"puma" => [...]}}
      def to_h
        waits = %i[queued stalled].to_h { |key| [:"#{key}_ns", {mean: mean(key), **quantiles(key)}] }
        {step_s:, at_s:, shares:, per_second:, wall_ns: quantiles(:wall), **waits, gvl:}
      end

      protected

      # To call before anything is computed.
      def without_first(count)
        @at_s = at_s.drop(count)
        @windows = @windows.drop(count)
        @gvl = gvl.transform_values { |values| values.drop(count) }
        self
      end

      private

      # Nothing that was computed of all steps.
      def initialize_copy(_other)
        super
        @quantiles = {}
        @shares = nil
        remove_instance_variable(:@partial_end) if defined?(@partial_end)
      end

      def complete?(index)
        return false if length_s(index) < step_s
        return true if @coverage.empty?
        measured_s = @coverage.seconds(at_s[index], at_s[index] + step_s)
        return measured_s >= COMPLETE * step_s if measured_s.positive?
        # Units that ended before are counted here: a round of the collector came late.
        !counted?(@windows[index])
      end

      # @return [Integer, nil]
      def partial_end
        return @partial_end if defined?(@partial_end)
        counted = @windows.each_index.select { |index| counted?(@windows[index]) }
        enough = counted.count { |index| complete?(index) } >= FEWEST_STEPS
        @partial_end = (enough && !complete?(counted.last)) ? counted.last : nil
      end

      def counted?(window)
        !window.nil? && window.count.positive?
      end

      def each_counted
        @windows.map { |window| yield window if counted?(window) }
      end

      def rate(window, index)
        return 0.0 unless counted?(window)
        start_s = at_s[index]
        return window.count / @seconds[start_s] if @seconds.key?(start_s)
        length_s = [length_s(index), window.seconds].max
        @coverage.cut(start_s, start_s + length_s).rate(window.count) || window.count.fdiv(length_s)
      end

      def length_s(index)
        [at_s[index] + step_s, @to_s].min - at_s[index]
      end
    end
  end
end
