# frozen_string_literal: true

module Holdup
  module View
    # Which methods held the GVL longest while others waited, as a table. Shares are of all waiting, as in
    # that of holders.
    class TimelineMethods
      ROWS = 12

      # @param scene [Analysis::Timeline::Scene]
      # @param rows [Array<Analysis::Timeline::StackShares::MethodTable::MethodRow>]
      # @param words [Words]
      def initialize(scene, rows, words:)
        @scene = scene
        @words = words
        @named, @nameless = rows.partition(&:method)
        @all = rows.sum(&:stalled)
        @names = TimelineNames.new(scene, words)
      end

      # @return [Section]
      def section
        columns = %i[method in caused share held stalled].map { |key| word(key) }
        Section.new(title: word(:methods), columns:,
          rows: [*@named.first(ROWS).map { |row| line(row) }, *rest, *nameless], notes: [note, *sampler])
      end

      private

      def word(key, **facts)
        @words.call(:"timeline_#{key}", **facts)
      end

      def line(row)
        [@names.method_of(row), row.unit ? @names.text(row.unit) : word(:no_unit), *figures([row])]
      end

      def rest
        rows = @named.drop(ROWS)
        rows.empty? ? [] : [[word(:other_methods, count: Figures.count(rows.size)), "", *figures(rows)]]
      end

      def nameless
        @nameless.empty? ? [] : [[word(:no_stack), "", *figures(@nameless)]]
      end

      def figures(rows)
        caused = rows.sum(&:caused)
        [@names.time(caused), share(caused), @names.time(rows.sum(&:held)), @names.time(rows.sum(&:stalled))]
      end

      def share(ticks)
        @all.zero? ? Figures::NONE : Figures.share(ticks.fdiv(@all))
      end

      def sampler
        name = @scene.recording.header.facts["sampler"]
        name ? [word(:sampler, name: Width.clean(name.to_s))] : []
      end

      def note
        stacks = @scene.recording.header.stacks
        word(:stacks, count: Figures.count(stacks.taken), cost: Figures.duration(stacks.stack_ns),
          watch: Figures.duration(stacks.watch_ns), share: share(@named.sum(&:caused)))
      end
    end
  end
end
