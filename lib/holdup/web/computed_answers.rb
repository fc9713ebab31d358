# frozen_string_literal: true

module Holdup
  class Web
    # How the application comes by what the pages that take seconds show, see Answers.
    module ComputedAnswers
      TEXT = "text/plain; charset=utf-8"

      private

      # Gives a page its answer. The file that a page links to is made from the very answer that the page
      # shows.
      # @return [AnswerCache::Wait, nil] nil: the page has it, or needs none
      def computed(page, name, ending)
        return unless page.is_a?(Pages::ComputedPage)
        found = kept_for_link(page, name) || asked(page, name, ending)
        return found if found.is_a?(AnswerCache::Wait)
        page.show(found.value.fetch(words.language))
        @computed_s = found.at_s
        nil
      end

      def kept_for_link(page, name)
        computed_s = query["computed"] or return
        found = context.answers.kept(name, page.question)
        found if found&.value && found.at_s.to_s == computed_s
      end

      # What is only asked for its headers is not computed.
      def asked(page, name, ending)
        asked = [name, page.question, page.version]
        return context.answers.look(*asked) if request.head?
        kind = page.class
        facts = {context:, query:}
        context.answers.ask(*asked, file: !ending.nil?) { |step| kind.compute(step:, **facts) }
      end

      # A program is told in a sentence, and when to come again.
      def later(wait)
        response.status = 503
        response.headers.merge!("content-type" => TEXT, "retry-after" => wait.again_s.to_s)
        "#{ProgressText.new(wait, page: nil, words:).sentences.join(" ")}\n"
      end

      # What is said while a page is computed: what is being done, for how long it has been, and how long it
      # may take.
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
end
