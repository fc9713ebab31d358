# frozen_string_literal: true

module Holdup
  module Analysis::Timeline
    # What the time between two moments went to, by stack: held (what ran), stalled (what waited), caused
    # (what ran while others waited).
    class StackShares
      MODES = %i[held stalled caused].freeze

      # `unit`: nil outside of units; `stack`: nil where there is none
      StackShare = Data.define(:unit, :stack, :ticks)

      # @param scene [Scene]
      # @param excerpt [Excerpt]
      def initialize(scene, excerpt)
        @scene = scene
        @excerpt = excerpt
      end

      # @param mode [Symbol] one of MODES
      # @return [Array<StackShare>]
      # @raise [KeyError] it is none
      def call(mode)
        case mode
        when :held then @scene.lanes.flat_map { |lane|
          runs(lane).flat_map { |span| ran(lane, @scene.unit_of(span), span.from, span.to) }
        }
        when :stalled then @excerpt.waits.map { |wait|
          StackShare.new(@scene.unit_of(wait.span), @scene.samples.waited(wait), wait.span.length)
        }
        when :caused then @excerpt.waits.flat_map { |wait| caused(wait) }
        else raise KeyError, "no mode #{mode}: #{MODES.join(", ")}"
        end
      end

      # @param wait [GvlWait]
      # @return [Array<StackShare>] what ran meanwhile
      def caused(wait)
        wait.parts.flat_map { |part| ran(part.lane, part.unit, part.from, part.from + part.ticks) }
      end

      private

      def runs(lane)
        lane.spans.select { |span|
          span.state == :running && span.to > @excerpt.from && span.from < @excerpt.to
        }
      end

      def ran(lane, unit, from, to)
        @scene.samples.held(lane, [from, @excerpt.from].max, [to, @excerpt.to].min).map { |piece|
          StackShare.new(unit, piece.stack, piece.length)
        }
      end
    end
  end
end
