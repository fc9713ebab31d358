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
    end
  end
end
