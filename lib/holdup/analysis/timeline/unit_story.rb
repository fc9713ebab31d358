# frozen_string_literal: true

module Holdup
  module Analysis::Timeline
    # What one unit went through, period by period. Short successive periods are one step.
    class UnitStory
      # Periods with a step of their own, the longest: as many as fit on a screen.
      STEPS = 24

      # One period (`wait` of a stalled one), or several: `sums`: ticks by state, `count`: how many.
      StoryStep = Data.define(:from, :length, :state, :kind, :wait, :sums, :count) do
        def initialize(from:, length:, state: nil, kind: nil, wait: nil, sums: {}, count: 1)
          super
        end
      end

      def initialize(scene, unit)
        @scene = scene
        @unit = unit
        @spans = joined(scene.spans_of(unit))
      end

      # Steps from begin to end; `from` counts from the unit's begin.
      def call
        long = Set[].compare_by_identity.merge(@spans.max_by(STEPS, &:length))
        groups = @spans.slice_when { |one, other| long.include?(one) || long.include?(other) }
        groups.map { |group| (group.size == 1) ? step(group.first) : merged_step(group) }
      end

      def waits
        @waits ||= begin
          stalls = @spans.select { |span| span.state == :stalled }
          stalls.map { |span| @scene.wait(@unit.lane, span) }
        end
      end

      private

      # A unit inside of this one cuts its running spans in two.
      def joined(spans)
        runs = spans.slice_when { |one, other| one.state != :running || other.state != :running }
        runs.map do |run|
          first = run.first
          ThreadSpan.new(first.state, first.from, run.last.to, first.unit, first.kind)
        end
      end

      def begin_ticks = [@unit.from, 0].max

      def step(span)
        kind = pool_wait?(span) ? :pool : span.kind
        wait = @scene.wait(@unit.lane, span) if span.state == :stalled
        StoryStep.new(from: span.from - begin_ticks, length: span.length, state: span.state, kind:, wait:)
      end

      def pool_wait?(span)
        return false unless span.state == :idle
        @scene.pool_waits.any? do |lane, wait|
          overlap = [wait.to, span.to].min - [wait.from, span.from].max
          lane == @unit.lane && overlap * 2 > span.length
        end
      end

      def merged_step(spans)
        sums = spans.group_by(&:state).transform_values { |same| same.sum(&:length) }
        StoryStep.new(from: spans.first.from - begin_ticks, length: spans.sum(&:length), sums:,
          count: spans.size)
      end
    end
  end
end
