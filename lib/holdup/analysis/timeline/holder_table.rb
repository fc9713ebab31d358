# frozen_string_literal: true

module Holdup
  module Analysis::Timeline
    # For whom others waited: one row a name of units, or of threads outside of units.
    #
    # - `name`: nil for units that nobody named; `thread`: the name of the threads, for a row that is no
    #   unit's
    # - `caused`: ticks that others waited meanwhile; `waits`: in how many waits; `held`: ticks in all;
    #   `longest`: hold
    class HolderTable
      HolderRow = Data.define(:name, :thread, :caused, :waits, :held, :longest)

      # @param scene [Scene]
      # @param waits [Array<GvlWait>] those that count: all, or those of one unit
      def initialize(scene, waits: scene.waits)
        @scene = scene
        @waits = waits
      end

      # @return [Array<HolderRow>] the one that caused most first
      def call
        parts = @waits.flat_map(&:parts).group_by { |part| key(part.lane, part.unit) }
        parts.map { |key, own| row(key, own) }.sort_by { |row| -row.caused }
      end

      # @return [Integer] ticks of waiting while nobody held
      def handoff = @waits.sum(&:handoff)

      private

      def row(key, parts)
        holds = held.fetch(key, [0])
        HolderRow.new(name: key.first, thread: key.last, caused: parts.sum(&:ticks), waits: parts.size,
          held: holds.sum, longest: longest.fetch(key, 0))
      end

      def key(lane, unit)
        unit ? [unit.name, nil] : [nil, lane.name || ""]
      end

      def held
        @held ||= @scene.lanes.flat_map { |lane|
          lane.spans.select { |span| span.state == :running }.map { |span|
            [
              key(lane,
                @scene.unit_of(span)), span.length
            ]
          }
        }
          .group_by(&:first).transform_values { |pairs|
          pairs.map(&:last)
        }
      end

      def longest
        @longest ||= @scene.holds.group_by { |hold| key(hold.lane, hold.unit) }.transform_values { |holds|
          holds.map(&:length).max
        }
      end

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
end
