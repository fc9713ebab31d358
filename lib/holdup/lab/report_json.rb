# frozen_string_literal: true

require "json"

module Holdup
  module Lab
    # The report of an experiment for programs.
    class ReportJson
      # @param sentences [Object] of the report
      def initialize(result, sentences)
        @result = result
        @sentences = sentences
      end

      # @return [String] ends with a newline
      def call
        "#{JSON.pretty_generate(to_h)}\n"
      end
    end
  end
end
