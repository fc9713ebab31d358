# frozen_string_literal: true

module Holdup
  module Advise
    # A change of the size in words, and why it has no outcome.
    class JudgedChangeText
      # @param words [View::Words]
      def initialize(words)
        @words = words
      end

      # @param judged [JudgedChanges::JudgedChange]
      # @return [String] one sentence
      def call(judged)
        key = judged.reason ? :unjudged : :judged
        @words.call(:"track_record_#{key}", change: change(judged), reason: reason(judged).to_s)
      end

      # @return [String] "threads 5 -> 3, workers 1 -> 2"
      def change(judged)
        judged.facts.map { |name, values| "#{name} #{values.map { |value| value || "-" }.join(" -> ")}" }
          .join(", ").then { |text| View::Width.clean(text) }
      end

      # @return [String, nil] nil where it has an outcome
      def reason(judged)
        judged.reason && @words.call(:"track_record_reason_#{judged.reason}")
      end
    end
  end
end
