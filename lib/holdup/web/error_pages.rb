# frozen_string_literal: true

module Holdup
  class Web
    # The page for a request that fails: says why and what to do, with the title and navigation of the
    # requested page.
    module ErrorPages
      private

      def refuse(refusal)
        response.headers.merge!(refusal.headers)
        response.write(message(refusal.status, word(refusal.key), name: nil))
        request.halt
      end

      def failed(error)
        case error
        when UsageError then error_message(400, :refused_question, error)
        when Error then error_message(503, :refused_now, error)
        else
          env["rack.errors"]&.puts("holdup: #{error.full_message(highlight: false)}")
          message(500, word(:refused_failure, error: error.class))
        end
      end

      def error_message(status, key, error)
        problem, remedy = ErrorText.new(error, words:).parts
        message(status, word(key), problem:, remedy:)
      end

      # @param problem [ErrorText::ErrorSentence, nil] what happened
      # @param remedy [ErrorText::ErrorSentence, nil] what to do
      def message(status, text, problem: nil, remedy: nil, name: page_name)
        response.status = status
        view = view(name, nil, kept: chosen)
        lay_out(view, render("message", locals: {view:, text:, problem:, remedy:}))
      end

      # Works even if the rest of the address is invalid.
      def page_name
        name = env["PATH_INFO"].to_s.b[%r{\A/(\w+)(?:\.\w+)?\z}, 1]
        return Pages::ALL.keys.first if ["", "/"].include?(env["PATH_INFO"])
        Pages::ALL.key?(name) ? name : nil
      end

      # Content below the explanation why there is nothing to see.
      def chosen
        {"lang" => asked_for("lang"), "theme" => asked_for("theme")}.compact
      end

      # The text of an error on a page: what happened and what to do, in the page's language. Untranslated
      # texts are in English and marked as such.
      class ErrorText
        TRANSLATIONS = View::Words::LANGUAGES.transform_values { |table|
          table.fetch(:error_texts, []).to_h { |error|
            [Regexp.new(error[:pattern], Regexp::MULTILINE), error[:text]]
          }
        }.freeze

        # At the end of a remedy: "choose another span with --since". On a page one chooses with links.
        OPTIONS = / with --\w.*\z/

        # `language`: of the text
        ErrorSentence = Data.define(:text, :language)

        def initialize(error, words:)
          @error = error
          @words = words
        end

        # @return [Array<ErrorSentence>] what happened; what to do, if known
        def parts
          return of_store if @error.is_a?(StoreError)
          remedy = @error.advice&.sub(OPTIONS, "")
          [@error.problem || @error.message, remedy].compact.map { |text| translated(text) }
        end

        private

        def of_store
          [:"store_#{@error.kind}", :"store_#{@error.kind}_fix"].map do |key|
            text = View::DoctorReport::Sentence.call(@words, key, @error.facts)
            ErrorSentence.new(text:, language: @words.language)
          end
        end

        def translated(text)
          pattern, own = TRANSLATIONS.fetch(@words.language).find { |english, _| english.match?(text) }
          return ErrorSentence.new(text:, language: "en") unless pattern
          ErrorSentence.new(text: text.sub(pattern, own), language: @words.language)
        end
      end
    end
  end
end
