# frozen_string_literal: true

module Holdup
  module Analysis::Timeline
    # What the holders ran while somebody waited for them, by method.
    class HolderMethods
      # `frame`: at the line at which it was seen longest
      Ran = Data.define(:frame, :ticks)

      # @param scene [Scene]
      def initialize(scene)
        @scene = scene
      end

      # @param parts [Array<GvlWait::WaitPart>]
      # @return [Array<Ran>] the longest first; what had no stack is not among them
      def call(parts)
        ticks = parts.flat_map { |part| pieces(part) }.group_by(&:stack).transform_values { |pieces|
          pieces.sum(&:length)
        }
        frames = ticks.filter_map { |stack, sum|
          stack && @scene.recording.stacks.running(stack)&.then { |frame| [frame, sum] }
        }
        by_method = frames.group_by { |frame, _| [frame.method_name, frame.path] }.values
        by_method.map { |own| Ran.new(own.max_by(&:last).first, own.sum(&:last)) }.sort_by { |ran|
          -ran.ticks
        }
      end

      # @param parts [Array<GvlWait::WaitPart>]
      # @return [Integer] ticks of collections of garbage in them
      def collecting(parts)
        parts.sum { |part| @scene.collecting(part.lane, part.from, part.from + part.ticks) }
      end

      private

      def pieces(part)
        @scene.samples.held(part.lane, part.from, part.from + part.ticks)
      end
    end
  end
end
