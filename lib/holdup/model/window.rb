# frozen_string_literal: true

require_relative "histogram"
require_relative "window/accumulator"
require_relative "window/members"

module Holdup
  # The merged record of one series under one setting over one span of time on one host. Everything in it adds
  # up: that is what lets workers, minutes and hosts be merged in any order.
  #
  # - `start_s`, `seconds`: the span; `setting` and `host` are nil once unlike ones were merged
  # - `count`, `errors`: units, and how many of them failed. Accounts have count 0 and only sums
  # - `sums`: {Symbol => Integer} with the keys SUMS; `histograms`: {Symbol => Histogram} with the keys
  #   HISTOGRAMS. The sum of wall, running, stalled, idle and queued is `histograms[name].sum`
  class Window
    # The neutral element of merge.
    # @param series [Series]
    # @return [Window]
    def self.empty(series:, setting: nil, host: nil, start_s: nil, seconds: 0)
      new(start_s:, seconds:, series:, setting:, host:, count: 0, errors: 0,
        sums: SUMS.to_h { |name| [name, 0] }, histograms: HISTOGRAMS.to_h { |name| [name, Histogram.empty] })
    end

    # @param windows [Enumerable<Window>] of one series, at least one
    # @return [Window] all of them merged; far cheaper than one merge after the other
    def self.sum(windows)
      first, *rest = windows.to_a
      rest.empty? ? first : rest.each_with_object(Accumulator.new(first)) { |window, all| all.add(window) }.to_window
    end

    def initialize(sums:, histograms:, **rest)
      super(sums: sums.frozen? ? sums : sums.dup.freeze, histograms: histograms.frozen? ? histograms : histograms.dup.freeze, **rest)
    end

    # @param other [Window] of the same series
    # @return [Window] from the earlier start to the later end
    # @raise [ArgumentError] for another series
    def merge(other)
      Accumulator.new(self).add(other).to_window
    end

    # @param names [Array<Symbol>] of HISTOGRAMS
    # @return [Window] that has only the heads of all others
    def spread_of(names)
      with(histograms: histograms.merge(histograms.except(*names).transform_values { |one| Histogram::CountAndSum.of(one) }))
    end

    # @return [Integer] ns that its units stalled
    def stalled_ns = histograms[:stalled].sum

    # @return [Integer] ns that others stalled while one of its units held the GVL
    def caused_ns = sums[:caused_ns]

    # @return [Integer, nil] first second after the span
    def end_s
      start_s && start_s + seconds
    end
  end
end
