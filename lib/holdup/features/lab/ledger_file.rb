# frozen_string_literal: true

require "json"

module Holdup
  module Lab
    # The file of an experiment: JSON with a header, written atomically, so that Ctrl-C or a crash costs one
    # step at most.
    class LedgerFile
      SCHEMA = 1

      # @param experiment [String] name of its command, such as "sweep"
      def initialize(experiment)
        @experiment = experiment
        @head = {kind: "holdup #{experiment}", schema: SCHEMA}
      end

      # @yieldparam hash [Hash{Symbol => Object}] of the file
      # @return [Object] the block's value
      # @raise [Holdup::Error] the file can't be read, or belongs to another experiment or version
      def read(path)
        hash = JSON.parse(File.read(path), symbolize_names: true)
        raise damaged(path) unless hash.is_a?(Hash) && hash.slice(:kind, :schema) == @head
        yield hash
      rescue JSON::ParserError, KeyError, ArgumentError, NoMethodError
        raise damaged(path)
      rescue SystemCallError => error
        raise Error.new("the #{@experiment} #{path} can't be read (#{error.message})", hint)
      end

      # @raise [Holdup::Error]
      def write(path, hash)
        File.write("#{path}.new", "#{JSON.pretty_generate(whole(hash))}\n")
        File.rename("#{path}.new", path)
      rescue SystemCallError => error
        raise Error.new("the #{@experiment} can't be kept in #{path} (#{error.message})",
          "name another file with --out")
      end

      # @return [Hash] as stored in the file
      def whole(hash) = {**@head, **hash}

      private

      def damaged(path)
        Error.new("#{path} was not written by this version", hint)
      end

      def hint
        "name the file that `holdup lab #{@experiment}` wrote"
      end

      # The result of an experiment that keeps each step in a file: complete, or as far as it came.
      class ExperimentResult
        # Ctrl-C or an error in a step ends the experiment with the measurements so far.
        # @param ledger [#write, #readings] file of the experiment
        # @yield runs the steps that are left
        # @return [LedgerFile::ExperimentResult]
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
end
