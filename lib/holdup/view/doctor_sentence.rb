# frozen_string_literal: true

module Holdup
  module View
    # A sentence of the doctor, the same wherever it is shown.
    module DoctorSentence
      # From here on nobody counts tenths.
      LONG_NS = 60_000_000_000
      # Facts that a server recorded in English, and that have words in other languages.
      RECORDED = %i[how where].freeze
      private_constant :LONG_NS, :RECORDED

      # @param words [Words]
      # @param key [Symbol] of a finding, with _fix for its remedy
      # @param facts [Hash{Symbol => Object}] paths and messages may be from anywhere; what ends in _ns is a
      #   duration
      # @return [String]
      def self.call(words, key, facts)
        words.call(:"doctor_#{key}", **facts.to_h { |name, fact| [name, told(words, name, fact)] })
      end

      def self.told(words, name, fact)
        return duration(fact) if fact.is_a?(Numeric) && name.end_with?("_ns")
        text = Width.clean(fact)
        RECORDED.include?(name) ? words.lever(text) : text
      end

      def self.duration(ns)
        (ns < LONG_NS) ? Figures.duration(ns) : Figures.rough(ns)
      end

      private_class_method :told, :duration
    end
  end
end
