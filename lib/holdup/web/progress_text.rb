# frozen_string_literal: true

module Holdup
  class Web
    # What is said while a page is computed: what is being done, for how long it has been, and how long it may
    # take.
    class ProgressText
      NS = 1_000_000_000

      # @param wait [AnswerCache::Wait]
      # @param page [String, nil] name; nil where no page is shown
      # @param words [View::Words]
      def initialize(wait, page:, words:)
        @wait = wait
        @page = page
        @words = words
      end

      # @return [Controls::Wait]
      def block
        lead = word(:"wait_#{@page}")
        Controls::Wait.new(lead:, step:, times:, share: @wait.share, again_s: @wait.again_s)
      end

      # @return [Array<String>]
      def sentences = [step, times].compact

      private

      def word(key, **facts) = @words.call(key, **facts)

      def step
        return word(:wait_full) if @wait.full?
        return word(:wait_ahead, ahead: View::Figures.count(@wait.ahead)) if @wait.ahead.positive?
        key, facts = @wait.step || [:step_reading, {}]
        word(key, **facts.transform_values { |number| View::Figures.count(number) })
      end

      def times
        return if @wait.full?
        return @wait.rest_s && word(:wait_rest, rest: seconds(@wait.rest_s)) if @wait.ahead.positive?
        return word(:wait_first, elapsed: seconds(@wait.elapsed_s)) unless @wait.expected_s
        word(:wait_again, elapsed: seconds(@wait.elapsed_s), expected: seconds(@wait.expected_s))
      end

      # Nobody counts tenths of a second while waiting.
      def seconds(number)
        View::Figures.rough(number.to_f.ceil * NS)
      end
    end
  end
end
