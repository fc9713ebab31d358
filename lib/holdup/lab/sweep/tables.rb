# frozen_string_literal: true

module Holdup
  module Lab
    class Sweep
    end

    # A sweep's result as sections of a report: measured and predicted side by side at each rate, and what
    # each setting takes.
    class Sweep::Tables
      MS = 1e6

      # @param result [Result]
      # @param words [View::Words]
      def initialize(result, words:)
        @result = result
        @words = words
        @sentences = Sweep::Sentences.new(result, words:)
      end

      # @return [Array<View::Section>]
      def sections
        [*@result.rates.map { |rate| rate(rate) }, costs]
      end

      private

      def rate(rate)
        rows = @result.lines(rate).map { |line| [name(line.arm), *figures(line)] }
        View::Section.new(title: word(:rate, level: @sentences.level(rate)), columns:, rows:,
          notes: (rate == @result.rates.last) ? notes : [])
      end

      def notes
        [*(@sentences.predictions unless @result.plan.tool), word(:note, percentile:),
          *(word(:predicted_note) if @result.predicted?), *@sentences.amdahl]
      end

      def columns
        compared = @result.predicted? ? [word(:expected), word(:off)] : []
        [word(:setting), word(:served), *compared, word(:wait), *compared, percentile, *compared,
          word(:client)]
      end

      def figures(line)
        errors = line.errors(@result.share)
        [View::Figures.rate(line.throughput), *compared(line.predicted_throughput, 1, errors[:throughput]), ms(line.wait_ns), *compared(line.predicted_wait_ns, MS, errors[:wait]),
          ms(line.percentile(@result.share)), *compared(line.predicted_percentile(@result.share), MS, errors[:percentile]), ms(line.client_p95_ns)]
      end

      # Two cells; none where nothing was predicted at all.
      def compared(value, unit, error)
        return [] unless @result.predicted?
        value ? [View::Figures.rate(value / unit), "#{View::Figures.change(error, 0)} %"] : ["", ""]
      end

      def costs
        rows = @result.plan.arms.filter_map { |arm|
          (line = @result.rates.filter_map { |rate| @result.at(arm, rate) }.first) && [name(arm), *cost(line)]
        }
        View::Section.new(title: word(:costs),
          columns: [word(:setting), *%i[cpu memory warm_up errors rounds most].map { |key| word(key) }], rows:, notes: [word(:costs_note)])
      end

      def cost(line)
        readings = line.readings
        [ms(line.cpu_ns), View::Figures.bytes(line.memory_bytes&.round), "#{readings.map(&:warm_up_s).max.round} s", View::Figures.count(readings.sum(&:errors)), readings.size.to_s,
          @result.capacity(line.arm)&.then { |most| format("%g", most.round(1)) } || View::Figures::NONE]
      end

      def name(arm)
        "#{arm.name}#{" *" if arm == @result.plan.baseline}"
      end

      def ms(value)
        value ? View::Figures.rate(value / MS) : View::Figures::NONE
      end

      def percentile = @result.plan.promise.name

      def word(key, **facts)
        @words.call(:"sweep_#{key}", **facts)
      end
    end
  end
end
