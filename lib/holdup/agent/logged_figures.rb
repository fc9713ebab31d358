# frozen_string_literal: true

require_relative "../model/quantities"

module Holdup
  # The figures of a request or job that lines of a log, payloads and headers have: few, and in milliseconds.
  module LoggedFigures
    NUMBERS = {gvl: :stalled_ns, io: :io_ns, cpu: :cpu_ns}.freeze
    DIGITS = 2

    # @param figures [UnitFigures, nil]
    # @return [Hash{Symbol => Float}, nil] milliseconds of one moment; nil where they are unknown
    def self.of(figures)
      numbers = figures&.to_h
      return unless numbers&.fetch(:elapsed_ns)
      NUMBERS.transform_values { |number| numbers.fetch(number).fdiv(MS).round(DIGITS) }.freeze
    end
  end
end
