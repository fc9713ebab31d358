# frozen_string_literal: true

module Holdup
  module Analysis::Timeline
    # What one unit went through, period by period; short ones next to each other are told together.
    class UnitStory
      # The longest periods, as many as a screen takes.
      STEPS = 24

      # One period (`wait` of a stalled one), or several short ones: ticks by state, and how many.
      StoryStep = Data.define(:from, :length, :state, :kind, :wait, :sums, :count) do
        def initialize(from:, length:, state: nil, kind: nil, wait: nil, sums: {}, count: 1)
          super
        end
      end

      # @param scene [Scene]
      # @param unit [TimelineUnit]
      def initialize(scene, unit)
        @scene = scene
        @unit = unit
        @spans = joined(scene.spans_of(unit))
      end

      # @return [Array<StoryStep>] from begin to end, `from` counted from the unit's begin
      def call
        long = Set[].compare_by_identity.merge(@spans.max_by(STEPS, &:length))
        groups = @spans.slice_when { |one, other| long.include?(one) || long.include?(other) }
        groups.map { |group| (group.size == 1) ? step(group.first) : together(group) }
      end

      # @return [Array<GvlWait>]
      def waits
        @waits ||= @spans.select { |span| span.state == :stalled }.map { |span|
          @scene.wait(@unit.lane, span)
        }
      end

      private

      # A unit inside of this one cuts spans in two.
      def joined(spans)
        spans.slice_when { |one, other| one.state != :running || other.state != :running }
          .map { |run|
          ThreadSpan.new(run.first.state, run.first.from, run.last.to, run.first.unit,
            run.first.kind)
        }
      end

      def begin_ticks = [@unit.from, 0].max

      def step(span)
        StoryStep.new(from: span.from - begin_ticks, length: span.length, state: span.state, kind: pool?(span) ? :pool : span.kind,
          wait: (@scene.wait(@unit.lane, span) if span.state == :stalled))
      end

      # Whether most of it was in a wait for a connection.
      def pool?(span)
        span.state == :idle && @scene.pool_waits.any? { |lane, wait|
          lane == @unit.lane && ([wait.to,
            span.to].min - [wait.from, span.from].max) * 2 > span.length
        }
      end

      def together(spans)
        sums = spans.group_by(&:state).transform_values { |own| own.sum(&:length) }
        StoryStep.new(from: spans.first.from - begin_ticks, length: spans.sum(&:length), sums:,
          count: spans.size)
      end
    end
  end
end
