# frozen_string_literal: true

module Holdup
  module Analysis::Timeline
    # Stacks put together to a tree: who called what, and how much of the time went there.
    class FlameTree
      # `frame`: nil for the root, and for what had no stack; `ticks` with the children's, `self` without;
      # `children`: the biggest first
      FlameNode = Data.define(:frame, :ticks, :self, :children)

      # @param scene [Scene]
      # @param mode [Symbol] one of StackShares::MODES
      # @param from [Integer] ticks
      # @param to [Integer]
      def initialize(scene, mode:, from: 0, to: scene.recording.length_ticks)
        @stacks = scene.recording.stacks
        @shares = StackShares.new(scene, Excerpt.new(scene, from:, to:)).call(mode)
      end

      # @return [FlameNode]
      def call
        node(nil, by_stack.map { |stack, ticks| [path(stack), ticks] }, 0)
      end

      private

      def by_stack
        @shares.group_by(&:stack).transform_values { |shares| shares.sum(&:ticks) }
      end

      # The outermost first; a frame is the same at any line of it.
      def path(stack)
        stack ? @stacks.frames(stack).reverse.map { |frame| frame.with(at: 0) } : [nil]
      end

      def node(frame, paths, depth)
        ended, deeper = paths.partition { |path, _| path.size == depth }
        children = deeper.group_by { |path, _| path[depth] }.map { |child, own| node(child, own, depth + 1) }
        FlameNode.new(frame:, ticks: paths.sum(&:last), self: ended.sum(&:last),
          children: children.sort_by { |child| -child.ticks })
      end
    end
  end
end
