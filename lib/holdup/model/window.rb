# frozen_string_literal: true

require_relative "histogram"
require_relative "unit_numbers"

module Holdup
  Window = Data.define(:start_s, :seconds, :series, :setting, :host, :count, :errors, :sums, :histograms)

  # The totals of one series under one setting over one span on one host. All of it adds up, so workers,
  # minutes and hosts merge in any order.
  #
  # - `start_s`, `seconds`: the span; `setting` and `host` are nil after merging different ones
  # - `count`, `errors`: units, and how many of them failed. Accounts have count 0 and only sums
  # - `sums`: {Symbol => Integer} with the keys SUMS; `histograms`: {Symbol => Histogram} with the keys
  #   HISTOGRAMS. The sum of wall, running, stalled, idle and queued is `histograms[name].sum`
  class Window
    SUMS = UnitNumbers::SUMS
    HISTOGRAMS = UnitNumbers::HISTOGRAMS
    # Sums and histograms of a window without units.
    NOTHING = {count: 0, errors: 0, sums: SUMS.to_h { |name| [name, 0] }.freeze,
               histograms: HISTOGRAMS.to_h { |name| [name, Histogram.empty] }.freeze}.freeze
    # Of pairs, the sum that says how long they waited. Where there is none, it is the sum of `stalled`.
    PAIR_SUMS = {pool_pair: :pool_wait_ns, lock_pair: :lock_ns}.freeze
    private_constant :NOTHING

    # The neutral element of merge.
    def self.empty(series:, setting: nil, host: nil, start_s: nil, seconds: 0)
      new(start_s:, seconds:, series:, setting:, host:, **NOTHING)
    end

    # @param series [Series] a pair
    # @param ns [Integer] how long they waited, which is all that is known of a pair
    def self.of_pair(series:, ns:, **span)
      empty = empty(series:, **span)
      sum = PAIR_SUMS[series.kind]
      return empty.with(sums: {**empty.sums, sum => ns}) if sum
      empty.with(histograms: {**empty.histograms, stalled: Histogram.of_sum(ns)})
    end

    # Merges windows of one series, at least one; far cheaper than merging one after the other.
    def self.sum(windows)
      first, *rest = windows.to_a
      return first if rest.empty?
      rest.each_with_object(Accumulator.new(first)) { |window, sum| sum.add(window) }.to_window
    end

    def initialize(sums:, histograms:, **rest)
      sums = sums.dup.freeze unless sums.frozen?
      histograms = histograms.dup.freeze unless histograms.frozen?
      super
    end

    # @raise [ArgumentError] for another series
    def merge(other)
      Accumulator.new(self).add(other).to_window
    end

    # Reduces the histograms that are not in `names` to a count and a sum.
    def spread_of(names)
      heads = histograms.except(*names).transform_values { |histogram| Histogram::CountAndSum.of(histogram) }
      with(histograms: histograms.merge(heads))
    end

    def stalled_ns = histograms[:stalled].sum

    def pool_wait_ns = sums[:pool_wait_ns]

    def lock_ns = sums[:lock_ns]

    # @return [Integer] how long those of a pair waited
    def pair_ns = PAIR_SUMS.key?(series.kind) ? sums[PAIR_SUMS[series.kind]] : stalled_ns

    # Whether the time of holding the GVL is not split into cpu and starved, and native is in io: threads that
    # share native threads (M:N, Ractors) have no CPU clock of their own.
    def cpu_unknown?
      (sums[:cpu_ns] + sums[:starved_ns]).zero? && histograms[:running].sum.positive?
    end

    # @return [Integer] CPU time under the GVL; where it is unknown, the time of holding it, which is the most
    #   that it can be
    def most_cpu_ns = cpu_unknown? ? histograms[:running].sum : sums[:cpu_ns]

    # ns that other units stalled while one of its units held the GVL
    def caused_ns = sums[:caused_ns]

    # @param kind [Symbol] of what ran, where windows of several series were added up
    # @return [Integer] ns for which it held the GVL: requests, jobs and processes while they had a CPU or
    #   waited for one, other threads while they ran
    def held_ns(kind = series.kind)
      return histograms[:running].sum if kind == :account
      sums.values_at(*UnitNumbers::RUNNING_STATES).sum
    end

    # First second after the span.
    def end_s
      start_s && start_s + seconds
    end

    # The one addition of "count, errors, sums, histograms", from the collector's deltas to a report's totals,
    # for any series. It decodes and copies each histogram once.
    class Totals
      POSITIONS = SUMS.each_with_index.to_h.freeze
      private_constant :POSITIONS

      def initialize
        @count = @errors = 0
        @sums = Array.new(SUMS.size, 0)
        @histograms = HISTOGRAMS.to_h { |name| [name, HistogramSum.new] }
        @in_order = @histograms.values
      end

      def add(window)
        @count += window.count
        @errors += window.errors
        window.sums.each { |name, value| @sums[POSITIONS[name]] += value }
        window.histograms.each { |name, histogram| @histograms[name].add(histogram) }
        self
      end

      # @param delta [#count, #errors, #sums, #histograms] `sums`: in the order of SUMS; `histograms`: dumps
      #   in the order of HISTOGRAMS
      def add_delta(delta)
        @count += delta.count
        @errors += delta.errors
        add_sums(delta.sums)
        dumps = delta.histograms
        dumps.size.times { |index| @in_order[index].add_dumps(dumps[index]) }
        self
      end

      # Subtracts the time but not the count: for units that ran inside others.
      def subtract_time(delta)
        delta.sums.each_with_index { |value, index| @sums[index] -= value }
        delta.histograms.each_with_index do |dump, index|
          @in_order[index].subtract_sum(Histogram::Codec.head(dump).sum) unless dump.empty?
        end
        self
      end

      # @return [Hash{Symbol => Object}] count, errors, sums and histograms of a Window
      def to_h
        histograms = @histograms.transform_values(&:to_histogram)
        {count: @count, errors: @errors, sums: POSITIONS.transform_values { |at| @sums[at] }, histograms:}
      end

      private

      def add_sums(sums)
        return HistogramDumps.add(@sums, 0, sums) if defined?(HistogramDumps)
        sums.each_with_index { |value, index| @sums[index] += value }
      end
    end

    # Adds up many windows of one series; its span grows with them.
    class Accumulator
      def initialize(window)
        @series = window.series
        @setting = window.setting
        @host = window.host
        @start_s = window.start_s
        @end_s = window.end_s
        @totals = Totals.new.add(window)
      end

      # @raise [ArgumentError] for another series
      def add(window)
        unless window.series == @series
          raise ArgumentError, "can't merge #{window.series.inspect} into #{@series.inspect}"
        end
        widen(window)
        @totals.add(window)
        self
      end

      def to_window
        Window.new(start_s: @start_s, seconds: @start_s ? @end_s - @start_s : 0, series: @series,
          setting: @setting, host: @host, **@totals.to_h)
      end

      private

      def widen(window)
        return if window.start_s.nil?
        @setting, @host = common_origin(window)
        @start_s = [@start_s, window.start_s].compact.min
        @end_s = [@end_s, window.end_s].compact.max
      end

      # The merged window has a setting or host only if all agree. Windows without a span don't count.
      def common_origin(window)
        return [window.setting, window.host] if @start_s.nil?
        [(@setting == window.setting) ? @setting : nil, (@host == window.host) ? @host : nil]
      end
    end
  end
end
