# frozen_string_literal: true

module Holdup
  # Writes flat facts as a JSON object, by hand: the application's Gemfile, not we, decides which json is loaded.
  module FlatJson
    LONGEST_VALUE = 120

    module_function

    # @param facts [Hash{String => String, Numeric, Boolean}] texts are cut after 120 characters
    # @return [String]
    def generate(facts) = "{#{facts.map { |key, value| "#{quote(key)}:#{literal(value)}" }.join(",")}}"

    def literal(value)
      case value
      when Integer, Float, true, false then value.to_s
      else quote(value.to_s[0, LONGEST_VALUE])
      end
    end

    def quote(text)
      clean = text.dup.force_encoding(Encoding::UTF_8).scrub("?")
      "\"#{clean.gsub(/["\\]/) { "\\#{_1}" }.gsub(/[\u0000-\u001f]/) { format("\\u%04x", _1.ord) }}\""
    end
    private_class_method :literal, :quote
  end
end
