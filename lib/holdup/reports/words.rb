# frozen_string_literal: true

require_relative "../errors"
require_relative "locales/advice_en"
require_relative "locales/advice_ja"
require_relative "locales/calculate_en"
require_relative "locales/calculate_ja"
require_relative "locales/compare_en"
require_relative "locales/compare_ja"
require_relative "locales/connections_en"
require_relative "locales/connections_ja"
require_relative "locales/doctor_en"
require_relative "locales/doctor_ja"
require_relative "locales/en"
require_relative "locales/findings_en"
require_relative "locales/findings_ja"
require_relative "locales/ja"
require_relative "locales/jit_en"
require_relative "locales/jit_ja"
require_relative "locales/lab_en"
require_relative "locales/lab_ja"
require_relative "locales/machine_en"
require_relative "locales/machine_ja"
require_relative "locales/sweep_en"
require_relative "locales/sweep_ja"
require_relative "locales/timeline_en"
require_relative "locales/timeline_ja"

module Holdup
  module Reports
    # Every sentence and heading of the reports in one language. A missing key raises at once (a test compares the
    # languages), so a half-translated report can't happen.
    class Words
      EN = [Locales::EN, Locales::ADVICE_EN, Locales::FINDINGS_EN, Locales::CALCULATE_EN, Locales::COMPARE_EN, Locales::CONNECTIONS_EN,
        Locales::DOCTOR_EN, Locales::JIT_EN, Locales::MACHINE_EN, Locales::LAB_EN, Locales::SWEEP_EN, Locales::TIMELINE_EN].freeze
      JA = [Locales::JA, Locales::ADVICE_JA, Locales::FINDINGS_JA, Locales::CALCULATE_JA, Locales::COMPARE_JA, Locales::CONNECTIONS_JA,
        Locales::DOCTOR_JA, Locales::JIT_JA, Locales::MACHINE_JA, Locales::LAB_JA, Locales::SWEEP_JA, Locales::TIMELINE_JA].freeze
      private_constant :EN, :JA
      LANGUAGES = {"en" => EN, "ja" => JA}.transform_values { |tables| tables.reduce(:merge).freeze }.freeze

      attr_reader :language

      # @param language [String] "en" or "ja"
      # @raise [Holdup::UsageError] another language
      def initialize(language = "en")
        @table = LANGUAGES.fetch(language) do
          raise UsageError, "there is no language #{language.inspect}; --lang takes one of: #{LANGUAGES.keys.join(", ")}"
        end
        @language = language
      end

      # @param key [Symbol] a key of the locale files
      # @param params the values that its %<name>s take
      # @return [String]
      def call(key, **params)
        text = @table.fetch(key)
        (params.empty? || !text.include?("%<")) ? text : format(text, **params) # formatting none is a warning in Ruby 3.3
      end
    end
  end
end
