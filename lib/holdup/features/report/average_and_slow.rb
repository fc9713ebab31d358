# frozen_string_literal: true

module Holdup
  module Report
    # An average request or job of one name and a slow one, in absolute time: what makes the slow one slow is
    # what its bar has more of.
    class AverageAndSlow
      # Percentiles between which a request is a slow one, but no exception.
      BAND = [0.93, 0.97].freeze
      STATES = Analysis::SeriesRow::StateSplit.members
      # Of single requests that are a sample, only the sum of io, lock, sleep and native is known.
      IDLE = :others

      # The mean of some single requests. `count`: how many; `states`: {state or IDLE => ns}
      MeanUnit = Data.define(:count, :states) do
        def wall_ns = states.values.sum
      end

      # `bars`: {what it is called => View::Blocks::Bar}, each as long as it took; `legend`: {state => its
      # name}; `twin`: View::Section with the same figures
      UnitBars = Data.define(:title, :bars, :legend, :notes, :twin) do
        def view = "unit_bars"

        def plain = twin
      end

      # @param histogram [Histogram] of elapsed times of all
      # @param slow_units [Array<SlowUnit>] those that are kept
      # @param unit_samples [Array<UnitSample>] a sample, which may have the same ones
      # @return [MeanUnit, nil] nil where none of that band is kept
      def self.slow(histogram, slow_units:, unit_samples:)
        return if histogram.count.zero?
        from_ns, to_ns = band(histogram)
        known = slow_units.to_h { |slow| [key(slow.unit), states_of_slow(slow)] }
        sampled = unit_samples.to_h { |unit| [key(unit), states_of_sample(unit)] }
        found = {**sampled, **known}.values.select { |states| states.values.sum.between?(from_ns, to_ns) }
        mean(found) if found.any?
      end

      def self.mean(found)
        states = found.flat_map(&:keys).uniq
        sums = states.to_h { |state| [state, found.sum { |one| one.fetch(state, 0) }] }
        MeanUnit.new(count: found.size, states: sums.transform_values { |ns| ns.fdiv(found.size) })
      end

      # Widened to the histogram's buckets: inside of one, no order is known.
      def self.band(histogram)
        low, high = BAND.map { |q| histogram.quantile(q) }
        bounds = Histogram::Buckets::BOUNDS
        [bounds.take_while { |bound| bound < low }.last || 0, bounds.find { |bound| bound >= high } || high]
      end

      def self.key(unit) = [unit.start_ns, unit.process, unit.host]

      # @param slow [SlowUnit]
      # @return [Hash{Symbol => Integer}] ns
      def self.states_of_slow(slow)
        idle = {io: slow.io_ns, lock: slow.lock_ns, sleep: slow.sleep_ns, native: slow.native_ns}
        {**busy(slow.unit), **idle, IDLE => [slow.unit.idle_ns - idle.values.sum, 0].max}
      end

      def self.states_of_sample(unit) = {**busy(unit), IDLE => unit.idle_ns}

      def self.busy(unit)
        cpu_ns = [unit.cpu_ns || unit.running_ns, unit.running_ns].min
        {cpu: cpu_ns, starved: unit.running_ns - cpu_ns, stalled: unit.stalled_ns}
      end
      private_class_method :mean, :band, :key, :busy

      # @param means [Hash{String => MeanUnit}] by what they are called
      # @param title [String, nil] other than that of an average one and a slow one
      def initialize(means, words:, title: nil, notes: [])
        @title = title || words.call(:unit_bars)
        @means = means
        @words = words
        @notes = notes
      end

      # @return [UnitBars]
      def block
        bars = @means.transform_values { |mean| bar(mean) }
        legend = shown.to_h { |state| [state, name(state)] }
        UnitBars.new(title: @title, bars:, legend:, notes: @notes, twin:)
      end

      # @param row [Analysis::SeriesRow]
      # @return [MeanUnit]
      def self.average(row)
        split = row.split.to_h
        MeanUnit.new(count: row.count, states: split.transform_values { |ns| ns.fdiv([row.count, 1].max) })
      end

      private

      # The longest fills the width.
      def bar(mean)
        texts = mean.states.to_h { |state, ns| [state, "#{name(state)} #{View::Figures.duration(ns)}"] }
        parts = [*STATES, IDLE].to_h { |state| [state, mean.states.fetch(state, 0).fdiv(longest_ns)] }
        large = parts.keys.select { |state| parts[state] >= View::Blocks::Bar::LEAST_LABELLED }
        View::Blocks::Bar.new(parts:, label: @words.list(texts.values_at(*large)), texts:)
      end

      def longest_ns = @longest_ns ||= [*@means.values.map(&:wall_ns), 1].max

      def name(state)
        (state == IDLE) ? @words.call(:histogram_idle) : @words.call(:"state_#{state}")
      end

      def shown
        [*STATES, IDLE].select { |state| @means.values.any? { |mean| mean.states[state]&.positive? } }
      end

      def twin
        rows = shown.map { |state| [name(state), *durations { |mean| mean.states.fetch(state, 0) }] }
        View::Section.new(title: @title, columns: [@words.call(:state), *@means.keys], rows:,
          total: [@words.call(:histogram_wall), *durations(&:wall_ns)], notes: @notes)
      end

      def durations
        @means.values.map { |mean| View::Figures.duration(yield(mean)) }
      end
    end
  end
end
