# frozen_string_literal: true

module Holdup
  class Web
    # How the application gets the contents of the pages that take seconds, see AnswerCache.
    module ComputedAnswers
      TEXT = "text/plain; charset=utf-8"

      private

      # Gives a page its answer. A file that a page links to is made from the answer that the page shows.
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

      # A HEAD request computes nothing.
      def asked(page, name, ending)
        asked = [name, page.question, page.version]
        return context.answers.look(*asked) if request.head?
        kind = page.class
        facts = {context:, query:}
        context.answers.ask(*asked, file: !ending.nil?) { |step| kind.compute(step:, **facts) }
      end

      # Programs get a sentence and the time to ask again.
      def later(wait)
        response.status = 503
        response.headers.merge!("content-type" => TEXT, "retry-after" => wait.again_s.to_s)
        "#{ProgressText.new(wait, page: nil, words:).sentences.join(" ")}\n"
      end

      # Text shown while a page is computed: the current activity, the elapsed and the expected time.
      class ProgressText
        NS = 1_000_000_000

        # @param page [String, nil] name; nil if no page is shown
        def initialize(wait, page:, words:)
          @wait = wait
          @page = page
          @words = words
        end

        def block
          lead = word(:"wait_#{@page}")
          Controls::WaitNotice.new(lead:, step:, times:, share: @wait.share, again_s: @wait.again_s)
        end

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

        # Tenths of a second do not matter while waiting.
        def seconds(number)
          View::Figures.rough(number.to_f.ceil * NS)
        end
      end
    end
  end
end
