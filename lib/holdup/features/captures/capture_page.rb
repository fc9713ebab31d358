# frozen_string_literal: true

module Holdup
  module Captures
    # One capture, drawn by a script and described in tables, in whole or in part: for whom threads waited,
    # the units that waited longest, and the story of one unit.
    class CapturePage < View::PageBase
      # Exceeds the length of any capture.
      LONGEST_NS = 0..(1 << 53)
      MODES = Timeline::StackShares::MODES

      # @return [Array<Object>] the part above the viewer does not depend on the parameters
      def blocks
        notes = [*report.findings, *(report.title if report.answer), *report.remarks]
        [View::Blocks::Lead.new(text: clean(report.answer || report.title)),
          View::Blocks::Notes.new(texts: notes),
          viewing, *story, units, holders, ran, flame, files].compact
      end

      # @return [String] see docs/internals/capture-file.md
      def export(ending, title)
        (ending == "json") ? TraceFormats.call(scene, :json) : super
      end

      def span? = false

      def title = word(:title_capture)

      private

      def kept
        @kept ||= @context.captures.find(query["id"])
      end

      def scene = @scene ||= @context.captures.scene(kept)

      def viewing
        Reader::ViewerPage.new(id: kept.id, unit: chosen&.id,
          words: Reader::ViewerPage.labels(@words))
      end

      def excerpt
        @excerpt ||= Timeline::Excerpt.new(scene, **part)
      end

      # @return [Hash{Symbol => Integer}] ticks
      def part
        from_ns, to_ns = %w[from_ns to_ns].map { |name|
          Queries::OptionValues.whole(name, query[name], LONGEST_NS) if query[name]
        }
        return {} unless from_ns && to_ns
        unless from_ns < to_ns
          raise View::InputError.new(:not_before, :swap_shown, one: "from_ns", other: "to_ns")
        end
        {from: ticks(from_ns), to: ticks(to_ns)}
      end

      def ticks(ns)
        (ns << 32) / scene.recording.header.rate
      end

      def report
        @report ||= TimelineReport.new(scene,
          holders: Timeline::HolderTable.new(scene, waits: excerpt.waits),
          patterns: Timeline::Patterns.new(scene).call,
          within: excerpt.units, methods:, words: @words)
      end

      def methods
        return [] unless scene.recording.stacks.any?
        Timeline::StackShares::MethodTable.new(scene, from: excerpt.from, to: excerpt.to).call
      end

      def ran
        report.ran&.then { |section| section.with(notes: [*section.notes, *where]) }
      end

      def units
        section = report.units
        return if section.rows.empty?
        section.with(notes: where).with_first_cells do |name, row|
          View::Blocks::Link.new(text: name, page: "capture",
            params: asked.merge("unit" => section.rows[row][1]))
        end
      end

      def holders
        report.holders&.with(notes: excerpt.whole? ? [] : [*where, word(:capture_held_note)])
      end

      def where
        return [] if excerpt.whole?
        [word(:capture_part, from: View::Figures.duration(scene.ns(excerpt.from)),
          to: View::Figures.duration(scene.ns(excerpt.to)))]
      end

      def clean(text) = View::Width.clean(text)

      def asked
        query.all.slice("id", "from_ns", "to_ns")
      end

      def story
        unit = chosen or return
        rendered = TimelineStory.new(scene, unit,
          story: Timeline::UnitStory.new(scene, unit), words: @words)
        [main_periods(rendered), all_periods(rendered)]
      end

      def main_periods(rendered)
        notes = [*rendered.answer, rendered.split, *rendered.chain, *rendered.remarks]
        waterfall = rendered.waterfall
        periods = waterfall.periods.map { |period| period.with(text: clean(period.text)) }
        Reader::Story.new(title: clean(rendered.title), columns: waterfall.columns, periods:,
          notes: notes.map { |text| clean(text) })
      end

      def all_periods(rendered)
        rows = rendered.rows.map { |row| row.map { |cell| clean(cell) } }
        *times, what = rendered.columns
        sentences = View::Blocks::Column.new(text: what, words: true)
        View::Blocks::Fold.new(title: word(:all_periods), inner: [
          View::Section.new(title: word(:all_periods), columns: [*times, sentences], rows:)
        ])
      end

      # The unit that triggered the capture, else the one with the longest wait, unless another is requested.
      def chosen
        id = query["unit"] or return (scene.caught || scene.worst unless query["from_ns"])
        scene.units.find { |unit| unit.id.to_s == id } || raise(View::InputError.new(:no_such_unit))
      end

      # Empty if the capture has no stacks.
      def flame
        return unless scene.recording.stacks.any?
        mode = query["mode"] ? Queries::OptionValues.choice("mode", query["mode"], MODES) : MODES.last
        root = Timeline::StackShares::FlameTree
          .new(scene, mode:, from: excerpt.from, to: excerpt.to).call
        Flame.new(root, scene, @words).block(title: word(:flame_title),
          modes: MODES.to_h { |key| [key.to_s, word(:"flame_#{key}")] }, mode: mode.to_s)
      end

      def files
        formats = Reader::Files::ALL.keys - ["columns"]
        Reader::Downloads.new(title: word(:capture_files), id: kept.id,
          formats: formats.to_h { |format| [format, word(:"capture_#{format}")] })
      end

      # A tree of stacks as boxes: width is the share of the time, callers are above callees. A chain of
      # library calls becomes one box, and boxes too narrow to see are dropped.
      class Flame
        # `x`, `width`: shares of the whole; `row`: from the top; `kind`: "own" code, "other" code, "none"
        # without a stack
        Box = Data.define(:x, :width, :row, :label, :description, :kind) do
          # @return [Integer] in pixels
          def y = row * Flame::ROW_HEIGHT
        end
        # `modes`: {String => String} of Shares::MODES; `mode`: the current one; `twin`: View::Section
        FlameBlock = Data.define(:title, :modes, :mode, :boxes, :rows, :notes, :twin) do
          def view = "flame"

          # @return [Integer] in pixels
          def height = rows * Flame::ROW_HEIGHT

          def plain = twin.plain
        end

        # Pixels of a box, and one between it and the next.
        ROW_HEIGHT = 19
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
          place = (View::Width.clean(place) if place && !last.frame.named_by_place?)
          duration = View::Figures.duration(@scene.ns(first.ticks))
          description = word(:flame_box, label:, place:, duration:, share: View::Figures.share(share(first)))
          Box.new(x:, width: share(first), row:, label:, description:, kind: kind(first.frame))
        end

        def name(frame)
          frame ? View::Width.clean(frame.method_name) : word(:flame_no_stack)
        end

        def kind(frame)
          return "none" unless frame
          frame.application? ? "own" : "other"
        end

        def twin(boxes, title)
          columns = %i[flame_depth flame_frame].map { |key| word(key) }
          View::Section.new(title:, columns:,
            rows: boxes.first(LISTED).map { |box| [(box.row + 1).to_s, box.description] })
        end
      end
    end
  end
end
