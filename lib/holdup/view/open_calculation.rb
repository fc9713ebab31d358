# frozen_string_literal: true

module Holdup
  module View
    # What the thread calculator says of units that arrive at a rate: one sentence, and their mean waits at
    # each number of threads.
    class OpenCalculation
      # @param calculator [Sizing::OpenCalculator]
      # @param words [Words]
      def initialize(calculator, words: Words.new)
        @calculator = calculator
        @words = words
      end

      # @return [String]
      def answer
        return word(:unlike, cv2: Figures.rate(@calculator.demand.cv2)) unless @calculator.valid?
        best = @calculator.best or return word(:unserved, **asked,
          capacity: Figures.rate(@calculator.capacity))
        word(:answer, **asked, threads: best.threads, whole: duration(best.whole_ns),
          queued: duration(best.queued_ns), stall: duration(best.stall_ns))
      end

      # @return [Array<Section>] empty where no formula holds
      def sections
        return [] unless @calculator.valid?
        columns = [@words.call(:calculate_threads),
          *%i[capacity held queued stall whole].map { |key| word(key) }]
        [Section.new(title: word(:title, rate: asked[:rate]), columns:,
          rows: @calculator.lines.map { |line| row(line) }, notes: [word(:note)])]
      end

      # @return [Hash] for programs
      def to_h
        {rate_per_second: @calculator.rate, processes: @calculator.processes, vcpus: @calculator.vcpus, cv2: @calculator.demand.cv2, valid: @calculator.valid?,
         **(@calculator.valid? ? {recommended_threads: @calculator.best&.threads, threads: @calculator.lines.map { |line| figures(line) }} : {})}
      end

      private

      def word(key, **facts)
        @words.call(:"calculate_open_#{key}", **facts)
      end

      def asked
        {rate: Figures.rate(@calculator.rate), processes: @calculator.processes,
         vcpus: format("%g", @calculator.vcpus)}
      end

      def row(line)
        mark = (line == @calculator.best) ? " <-" : ""
        ["#{line.threads}#{mark}", Figures.rate(line.capacity), Figures.share([line.utilisation, 1.0].min),
          *[line.queued_ns, line.stall_ns, line.whole_ns].map { |ns| duration(ns) }]
      end

      def duration(ns) = Figures.duration(ns)

      def figures(line)
        {threads: line.threads, capacity_per_second: line.capacity.round(3), gvl_utilisation: line.utilisation.round(4), queued_ns: line.queued_ns&.round,
         stall_ns: line.stall_ns&.round, response_ns: line.whole_ns&.round}
      end
    end
  end
end
