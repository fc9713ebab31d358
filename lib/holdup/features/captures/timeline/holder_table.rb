# frozen_string_literal: true

module Holdup
  module Captures
    module Timeline
      # Holders that made others wait: one row for each name of units, or of threads outside of units.
      # - `name`: nil for units without a name; `thread`: name of the threads, for a row outside of units
      # - `caused`: ticks that others waited meanwhile; `waits`: number; `held`: ticks; `longest`: hold
      class HolderTable
        HolderRow = Data.define(:name, :thread, :caused, :waits, :held, :longest)

        # @param waits [Array<GvlWait>] those that count: all, or those of one unit
        def initialize(scene, waits: scene.waits)
          @scene = scene
          @waits = waits
        end

        # The one that caused most comes first.
        def call
          by_holder = @waits.flat_map(&:parts).group_by { |part| key(part.lane, part.unit) }
          by_holder.map { |key, parts| row(key, parts) }.sort_by { |row| -row.caused }
        end

        def handoff = @waits.sum(&:handoff)

        private

        def row(key, parts)
          name, thread = key
          HolderRow.new(name:, thread:, caused: parts.sum(&:ticks), waits: parts.size,
            held: held.fetch(key, 0), longest: longest.fetch(key, 0))
        end

        # Name of the unit, or of the thread.
        def key(lane, unit)
          unit ? [unit.name, nil] : [nil, lane.name || ""]
        end

        def held
          @held ||= @scene.lanes.each_with_object(Hash.new(0)) do |lane, held|
            lane.spans.each do |span|
              held[key(lane, @scene.unit_of(span))] += span.length if span.state == :running
            end
          end
        end

        def longest
          @longest ||= begin
            by_holder = @scene.holds.group_by { |hold| key(hold.lane, hold.unit) }
            by_holder.transform_values { |holds| holds.map(&:length).max }
          end
        end

        # What the holders ran while others waited for them, by method.
        class HolderMethods
          # `frame`: at the line at which it was seen longest
          Ran = Data.define(:frame, :ticks)

          def initialize(scene)
            @scene = scene
          end

          # The longest first; what had no stack is left out.
          def call(parts)
            by_method = frames(parts).group_by { |frame, _| [frame.method_name, frame.path] }
            ran = by_method.values.map { |same| Ran.new(same.max_by(&:last).first, same.sum(&:last)) }
            ran.sort_by { |method| -method.ticks }
          end

          def collecting(parts)
            parts.sum { |part| @scene.collecting(part.lane, part.from, part.from + part.ticks) }
          end

          private

          # The running frame of each stack, and its ticks.
          def frames(parts)
            by_stack = parts.flat_map { |part| pieces(part) }.group_by(&:stack)
            by_stack.filter_map do |stack, pieces|
              frame = stack && @scene.recording.stacks.running(stack)
              [frame, pieces.sum(&:length)] if frame
            end
          end

          def pieces(part)
            @scene.samples.held(part.lane, part.from, part.from + part.ticks)
          end
        end
      end
    end
  end
end
