# frozen_string_literal: true

require_relative "quantities"
require_relative "series"
require_relative "window"

module Holdup
  # What ended on one host in one round of its collector, about ten seconds: for charts of the last hour, in
  # which a minute is too long. A store keeps one for each of SLOTS.
  #
  # - `start_s`: of the ten seconds, a multiple of STEP_S; `length_ms`: what the round covered
  # - `total`: Window of all units; `series`: Array of Window, the strongest, also those of which none ended;
  #   `others`: {kind => Window}, all other units. Of their histograms only elapsed times have buckets, the
  #   others are Histogram::CountAndSum
  # - `held`: {String => HeldTime}, by server or job runner
  # - `waited`: WaitedTime; nil: an earlier version of Holdup kept none
  RecentFigures = Data.define(:host, :start_s, :length_ms, :total, :series, :others, :held, :waited) do
    def initialize(waited: nil, **rest) = super
  end

  class RecentFigures
    STEP_S = 10
    SLOTS = 360
    KEEP_S = STEP_S * SLOTS
    # Series of a host that are kept apart.
    SERIES_APART = 20
    ALL = Series.new(kind: :request, name: "(all)")

    # How long GVLs were held, and how long their processes lived, all added up; `thread_ns`: how long those
    # of their threads lived that run requests and jobs.
    HeldTime = Data.define(:held_ns, :covered_ns, :thread_ns) do
      def initialize(held_ns:, covered_ns:, thread_ns: 0) = super

      def +(other)
        with(held_ns: held_ns + other.held_ns, covered_ns: covered_ns + other.covered_ns,
          thread_ns: thread_ns + other.thread_ns)
      end
    end

    # Holders that are kept apart.
    HOLDERS_APART = 10

    # For whom threads waited for the GVL. A wait counts when it and its hold have ended.
    #
    # - `ns`: all of it; `nobody_ns`: while no thread held the GVL
    # - `holders`: {String => HolderTime}, the strongest by name, also those for whom nobody waited
    WaitedTime = Data.define(:ns, :nobody_ns, :holders) do
      def +(other)
        with(ns: ns + other.ns, nobody_ns: nobody_ns + other.nobody_ns,
          holders: holders.merge(other.holders) { |_, one, another| one + another })
      end
    end

    # - `kind`: :request, :job, or :account for a thread outside of them
    # - `waited_ns`: threads waited for it so long; `held`: {String => Integer}, ns for which it held the GVL,
    #   by server or job runner
    HolderTime = Data.define(:kind, :waited_ns, :held) do
      def +(other)
        with(waited_ns: waited_ns + other.waited_ns, held: held.merge(other.held) { |_, ns, more| ns + more })
      end
    end

    # Of processes without a server.
    UNNAMED = "-"

    # @param setting [Setting, nil]
    # @return [String] whose GVLs are added up
    def self.group(setting) = setting&.[]("server") || setting&.[]("jobs") || UNNAMED

    # The one addition of these windows, which need not have buckets.
    # @param windows [Array<Window>] at least one
    # @param series [Series] of the sum
    # @return [Window]
    def self.sum(windows, series)
      first = windows.first
      histograms = first.histograms.to_h do |name, _|
        same = windows.map { |window| window.histograms.fetch(name) }
        [name, (name == :wall) ? Histogram.sum(same) : Histogram::CountAndSum.sum(same)]
      end
      sums = first.sums.to_h { |name, _| [name, windows.sum { |window| window.sums.fetch(name) }] }
      first.with(series:, setting: nil, count: windows.sum(&:count), errors: windows.sum(&:errors), sums:,
        histograms:)
    end

    # A round that took longer than a step also speaks for those beside it that have none of its host.
    # @param figures [Array<RecentFigures>] of all hosts
    # @return [Hash{Integer => Array<RecentFigures>}] of each host at most one, by start of the step
    def self.by_step(figures)
      known = figures.to_h { |one| [[one.host, one.start_s], one] }
      figures.each { |one| one.covered_steps.each { |start_s| known[[one.host, start_s]] ||= one } }
      known.group_by { |(_, start_s), _| start_s }.transform_values { |same| same.map(&:last) }
    end

    # @return [Array<Integer>] starts of steps around the middle of the round, as many as it took
    def covered_steps
      more = length_ms.fdiv(STEP_S * 1000).round - 1
      each_side = (more / 2.0).ceil
      (-each_side..each_side).map { |steps| start_s + steps * STEP_S }
    end

    # @return [Integer] place in the ring of its host
    def slot = start_s / STEP_S % SLOTS

    # @param other [RecentFigures] of the same host and ten seconds
    def merge(other)
      series = by_series(self.series + other.series)
      with(length_ms: length_ms + other.length_ms, total: self.class.sum([total, other.total], ALL), series:,
        others: others.merge(other.others) { |_, one, another| self.class.sum([one, another], one.series) },
        held: held.merge(other.held) { |_, one, another| one + another },
        waited: (waited + other.waited if waited && other.waited))
    end

    private

    def by_series(windows)
      windows.group_by(&:series).map { |one, same| self.class.sum(same, one) }
    end
  end
end
