# frozen_string_literal: true

module Holdup
  module Lab
    # The result of an experiment that keeps each step in a file: complete, or as far as it came.
    class ExperimentResult
      # Ctrl-C or an error in a step ends the experiment with the measurements so far.
      # @param ledger [#write, #readings] file of the experiment
      # @yield runs the steps that are left
      # @return [ExperimentResult]
      # @raise [Holdup::Error] an error before the first measurement
      def self.of(ledger, &)
        ledger.write
        Child::Signals.first_only(&)
        new(ledger)
      rescue SignalException => signal
        raise if ledger.readings.empty?
        new(ledger, signal: signal.signo)
      rescue Holdup::Error => error
        raise if ledger.readings.empty?
        new(ledger, failure: error)
      end

      # @return [Integer, nil] the signal that ended it early
      attr_reader :signal

      # @return [Holdup::Error, nil] the error that ended it early
      attr_reader :failure

      def initialize(ledger, signal: nil, failure: nil)
        @ledger = ledger
        @signal = signal
        @failure = failure
      end

      def plan = @ledger.plan

      # @return [String] of the file
      def path = @ledger.path

      # @return [Integer] remaining steps
      def left = @ledger.left.size
    end
  end
end
