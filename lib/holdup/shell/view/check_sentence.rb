# frozen_string_literal: true

module Holdup
  module View
    # A sentence of the doctor, the same wherever it appears.
    module CheckSentence
      # From here on tenths do not matter.
      LONG_NS = 60_000_000_000
      private_constant :LONG_NS

      # @param key [Symbol] of a finding, with _fix for its remedy
      # @param facts [Hash{Symbol => Object}] paths and messages are untrusted; names in _ns are durations
      def self.call(words, key, facts)
        texts = facts.to_h { |name, fact| [name, fact_text(name, fact)] }
        words.call(:"doctor_#{key}", **texts, **lever(facts, words))
      end

      def self.fact_text(name, fact)
        return duration(fact) if fact.is_a?(Numeric) && name.end_with?("_ns")
        Width.clean(fact)
      end

      # How and where a setting of a server is changed.
      def self.lever(facts, words)
        return {} unless facts.key?(:how)
        how = LeverText.new(facts[:how], write: facts[:write], facts: facts[:how_facts], words:)
        {how: how.whole, where: LeverText.place(facts[:where], words)}
      end

      def self.duration(ns)
        (ns < LONG_NS) ? Figures.duration(ns) : Figures.rough(ns)
      end

      private_class_method :fact_text, :lever, :duration
    end
  end
end
