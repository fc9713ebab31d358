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

      # Which methods held the GVL, waited for it, and made others wait, by endpoint or job.
      class MethodTable
        # `method`: nil for what had no stack; `path`: nil for C code; `line`: where it begins; `unit`: name
        # of the units, nil outside of units; `held`, `stalled`, `caused`: ticks
        MethodRow = Data.define(:method, :path, :line, :unit, :held, :stalled, :caused)

        # @param scene [Scene]
        # @param from [Integer] ticks
        # @param to [Integer]
        def initialize(scene, from: 0, to: scene.recording.length_ticks)
          @stacks = scene.recording.stacks
          @shares = StackShares.new(scene, Excerpt.new(scene, from:, to:))
        end

        # @return [Array<MethodRow>] what made others wait most first
        def call
          sums = Hash.new { |hash, key| hash[key] = Hash.new(0) }
          StackShares::MODES.each { |mode| @shares.call(mode).each { |share| sums[key(share)][mode] += share.ticks } }
          sums.map { |key, ticks| row(key, ticks) }.sort_by { |row| [-row.caused, -row.held, -row.stalled] }
        end

        private

        def key(share)
          [share.unit&.name, *(called[share.stack] if share.stack)]
        end

        # By number of the stack.
        def called
          @called ||= Hash.new do |hash, stack|
            frame = @stacks.running(stack)
            hash[stack] = [frame&.method_name, frame&.path, frame&.line]
          end
        end

        def row(key, ticks)
          unit, method, path, line = key
          MethodRow.new(method:, path:, line:, unit:, held: ticks[:held], stalled: ticks[:stalled],
            caused: ticks[:caused])
        end
      end

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
end
