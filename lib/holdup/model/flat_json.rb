# frozen_string_literal: true

require_relative "utf8"

module Holdup
  # Writes flat facts as JSON without the json gem: the application's Gemfile decides which json is loaded.
  module FlatJson
    LONGEST_VALUE = 120

    module_function

    # @param facts [Hash{String => String, Numeric, Boolean}] texts are cut to 120 characters
    # @param room [Integer, nil] bytes; facts at the end that do not fit are left out
    def generate(facts, room: nil)
      members = facts.map { |key, value| "#{quote(key)}:#{literal(value)}" }
      members.pop while room && members.sum(&:bytesize) + members.size + 1 > room
      "{#{members.join(",")}}"
    end

    def literal(value)
      case value
      when Integer, Float, true, false then value.to_s
      else quote(value.to_s[0, LONGEST_VALUE])
      end
    end

    def quote(text)
      escaped = Utf8.valid(text).gsub(/["\\]/) { |char| "\\#{char}" }
      escaped = escaped.gsub(/[\u0000-\u001f]/) { |char| format("\\u%04x", char.ord) }
      "\"#{escaped}\""
    end
    private_class_method :literal, :quote
  end
end
