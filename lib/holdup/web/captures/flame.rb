# frozen_string_literal: true

module Holdup
  class Web
    class Captures
      # A tree of stacks as boxes: width is the share of the time, callers are above callees. A chain of
      # library calls becomes one box, and boxes too narrow to see are dropped.
      class Flame
        # `x`, `width`: shares of the whole; `row`: from the top; `kind`: "own" code, "other" code, "none"
        # without a stack
        Box = Data.define(:x, :width, :row, :label, :description, :kind)
        # `modes`: {String => String} of Shares::MODES; `mode`: the current one; `twin`: View::Section
        FlameBlock = Data.define(:title, :modes, :mode, :boxes, :rows, :notes, :twin) do
          def view = "flame"

          def plain = twin.plain
        end

        LEAST = 0.002
        LISTED = 60
        # Share of a caller's time above which a single callee folds into it.
        SAME = 0.99

        def initialize(root, scene, words)
          @root = root
          @scene = scene
          @words = words
        end

        def block(title:, modes:, mode:)
          boxes = below(@root, 0.0, 0)
          FlameBlock.new(title:, modes:, mode:, boxes:, rows: (boxes.map(&:row).max || -1) + 1,
            notes: [word(:flame_note)], twin: twin(boxes, title))
        end

        private

        def word(key, **facts) = @words.call(key, **facts)

        def below(node, x, row)
          seen(node).flat_map do |child|
            at = x
            x += share(child)
            chain = folded(child)
            [box(chain, at, row), *below(chain.last, at, row + 1)]
          end
        end

        def share(node) = node.ticks.fdiv(@root.ticks)

        def seen(node)
          node.children.select { |child| share(child) >= LEAST }
        end

        # @return [Array<Node>] the node, and the end of its chain
        def folded(node)
          chain = [node]
          chain << seen(chain.last).first while comes_to_one?(chain.last)
          chain
        end

        def comes_to_one?(node)
          only, another = seen(node)
          only && !another && [node,
            only].all? { |one| kind(one.frame) == "other" } && only.ticks >= node.ticks * SAME
        end

        def box(chain, x, row)
          first = chain.first
          last = chain.last
          label = first.equal?(last) ? name(first.frame) : word(:flame_folded, first: name(first.frame),
            last: name(last.frame), count: chain.size)
          place = last.frame&.place
          where = " (#{View::Width.clean(place)})" if place
          duration = View::Figures.duration(@scene.ns(first.ticks))
          description = "#{label}#{where}: #{duration} (#{View::Figures.share(share(first))})"
          Box.new(x:, width: share(first), row:, label:, description:, kind: kind(first.frame))
        end

        def name(frame)
          frame ? View::Width.clean(frame.method_name) : word(:flame_no_stack)
        end

        # Holdup itself counts as a library, wherever it is installed.
        def kind(frame)
          return "none" unless frame
          (frame.written? && !frame.path.match?(LIBRARY) &&
            !frame.label.include?("Holdup::")) ? "own" : "other"
        end

        LIBRARY = %r{/gems/|/lib/ruby/}
        private_constant :LIBRARY

        def twin(boxes, title)
          columns = %i[flame_depth flame_frame].map { |key| word(key) }
          View::Section.new(title:, columns:,
            rows: boxes.first(LISTED).map { |box| [(box.row + 1).to_s, box.description] })
        end
      end
    end
  end
end
