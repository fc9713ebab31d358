# frozen_string_literal: true

module Holdup
  module View
    # The pools of threads that share a process, now and as advised: what one is given, the others feel.
    class AdvicePools
      # @param recommendation [Sizing::Recommendation, nil]
      # @param words [Words]
      def initialize(recommendation, words:)
        @recommendation = recommendation
        @words = words
      end

      # @return [Section, nil] nil where there is one pool, or nothing can be said
      def section
        return if @recommendation.nil? || @recommendation.verdict == :unknown || !pools.several?
        Section.new(title: word(:pools),
          columns: %i[pool pool_threads pool_rate stalled pool_wall].map { |key| word(key) }, rows:, notes: [word(pools.concurrent_units? ? :pools_concurrent_units : :pools_note)])
      end

      private

      def word(key) = @words.call(:"advice_#{key}")

      def pools = @recommendation.recording.pools

      def rows
        pools.names.zip(*sides.map { |candidate| @recommendation.pools_of(candidate) }).map { |name, *figures|
          row(name, figures)
        }
      end

      def sides
        [@recommendation.now, *(@recommendation.best.candidate if @recommendation.verdict == :change)]
      end

      def row(name, sides)
        [Width.clean(name), *cells(sides)]
      end

      def cells(sides)
        return [Figures::NONE] * 4 unless sides.all?
        [both(sides, &:threads), both(sides) { |one| Figures.rate(one.throughput) },
          *%i[stalled_ns wall_ns].map { |time| both(sides) { |one| milliseconds(one.public_send(time)) } }]
      end

      def both(sides)
        sides.map { |one| yield(one).to_s }.uniq.join(" -> ")
      end

      def milliseconds(value) = Figures.rate(value / 1e6)
    end
  end
end
