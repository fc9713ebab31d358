# frozen_string_literal: true

module Holdup
  module Captures
    module Timeline
      # Where the time of an excerpt went, by stack: held (what ran), stalled (what waited), caused (what ran
      # while others waited).
      class StackShares
        MODES = %i[held stalled caused].freeze

        # `unit`: nil outside of units; `stack`: nil where there is none
        StackShare = Data.define(:unit, :stack, :ticks)

        def initialize(scene, excerpt)
          @scene = scene
          @excerpt = excerpt
        end

        # @param mode [Symbol] one of MODES
        # @raise [KeyError] for another mode
        def call(mode)
          case mode
          when :held then held
          when :stalled then stalled
          when :caused then @excerpt.waits.flat_map { |wait| caused(wait) }
          else raise KeyError, "no mode #{mode}: #{MODES.join(", ")}"
          end
        end

        def caused(wait)
          wait.parts.flat_map { |part| ran(part.lane, part.unit, part.from, part.from + part.ticks) }
        end

        private

        def held
          @scene.lanes.flat_map do |lane|
            runs(lane).flat_map { |span| ran(lane, @scene.unit_of(span), span.from, span.to) }
          end
        end

        def stalled
          @excerpt.waits.map do |wait|
            StackShare.new(@scene.unit_of(wait.span), @scene.samples.waited(wait), wait.span.length)
          end
        end

        def runs(lane)
          lane.spans.select do |span|
            span.state == :running && span.to > @excerpt.from && span.from < @excerpt.to
          end
        end

        def ran(lane, unit, from, to)
          pieces = @scene.samples.held(lane, [from, @excerpt.from].max, [to, @excerpt.to].min)
          pieces.map { |piece| StackShare.new(unit, piece.stack, piece.length) }
        end

        # Which methods held the GVL, waited for it, and made others wait, by endpoint or job.
        class MethodTable
          # `method`: nil for what had no stack; `path`: nil for C code; `line`: where it begins; `unit`: name
          # of the units, nil outside of units; `held`, `stalled`, `caused`: ticks
          MethodRow = Data.define(:method, :path, :line, :unit, :held, :stalled, :caused)

          def initialize(scene, from: 0, to: scene.recording.length_ticks)
            @stacks = scene.recording.stacks
            @shares = StackShares.new(scene, Excerpt.new(scene, from:, to:))
            @running = {}
          end

          # What made others wait most comes first.
          def call
            sums = {}
            MODES.each do |mode|
              @shares.call(mode).each { |share| (sums[key(share)] ||= Hash.new(0))[mode] += share.ticks }
            end
            rows = sums.map { |key, ticks| row(key, ticks) }
            rows.sort_by { |row| [-row.caused, -row.held, -row.stalled] }
          end

          private

          def key(share)
            [share.unit&.name, *(running(share.stack) if share.stack)]
          end

          def running(stack)
            @running[stack] ||= begin
              frame = @stacks.running(stack)
              [frame&.method_name, frame&.path, frame&.line]
            end
          end

          def row((unit, method, path, line), ticks)
            MethodRow.new(method:, path:, line:, unit:, **MODES.to_h { |mode| [mode, ticks[mode]] })
          end
        end

        # Stacks as a tree: who called what, and how much of the time went there.
        class FlameTree
          # `frame`: nil for the root, and for what had no stack; `ticks` with the children's, `self` without;
          # `children`: the biggest first
          FlameNode = Data.define(:frame, :ticks, :self, :children)

          # @param mode [Symbol] one of StackShares::MODES
          def initialize(scene, mode:, from: 0, to: scene.recording.length_ticks)
            @stacks = scene.recording.stacks
            @shares = StackShares.new(scene, Excerpt.new(scene, from:, to:)).call(mode)
          end

          def call
            by_stack = @shares.group_by(&:stack)
            paths = by_stack.map { |stack, shares| [path(stack), shares.sum(&:ticks)] }
            node(nil, paths, 0)
          end

          private

          # The outermost first. A frame is the same at any line of it.
          def path(stack)
            stack ? @stacks.frames(stack).reverse.map { |frame| frame.with(at: 0) } : [nil]
          end

          def node(frame, paths, depth)
            ended, deeper = paths.partition { |path, _| path.size == depth }
            by_child = deeper.group_by { |path, _| path[depth] }
            children = by_child.map { |child, below| node(child, below, depth + 1) }
            FlameNode.new(frame:, ticks: paths.sum(&:last), self: ended.sum(&:last),
              children: children.sort_by { |child| -child.ticks })
          end
        end
      end
    end
  end
end
