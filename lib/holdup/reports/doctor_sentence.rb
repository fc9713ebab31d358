# frozen_string_literal: true

require_relative "figures"
require_relative "width"

module Holdup
  module Reports
    # A sentence of the doctor, the same wherever it is shown.
    module DoctorSentence
      # @param words [#call]
      # @param key [Symbol] of a finding, with _fix for its remedy
      # @param facts [Hash{Symbol => Object}] paths and messages may be from anywhere; what ends in _ns is a duration
      # @return [String]
      def self.call(words, key, facts)
        words.call(:"doctor_#{key}", **facts.to_h { |name, fact| [name, told(name, fact)] })
      end

      def self.told(name, fact)
        return Figures.duration(fact) if fact.is_a?(Numeric) && name.end_with?("_ns")
        Width.clean(fact)
      end
      private_class_method :told
    end
  end
end
