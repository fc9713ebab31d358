# frozen_string_literal: true

module Holdup
  class CLI
    class Lab
      # The options of experiments that last: in which file and store they are kept, and with which file one
      # goes on.
      class SavedResult
        # @param experiment [String] "sweep"
        # @param now_s [Integer]
        # @param output [Array<Symbol>] values that one may give anew when going on
        def initialize(experiment, now_s:, output:)
          @experiment = experiment
          @now_s = now_s
          @output = output
        end

        # @param parser [OptionParser]
        # @param values [Hash{Symbol => Object}]
        # @return [void]
        def declare(parser, values)
          parser.on("--out FILE", "where it is kept (holdup-#{@experiment}-TIME.json)") { |text|
            values[:out] = text
          }
          parser.on("--resume FILE", "go on with what Ctrl-C left") { |text| values[:resume] = text }
          parser.on("--store URL", "a store that gets the measurements as well") { |text|
            values[:store] = text
          }
        end

        # @param values [Hash{Symbol => Object}] that were read
        # @param ledgers [#new, #open] the experiment's Ledger
        # @yieldreturn [Object] the plan of a new one
        # @return [Object] the ledger, new or to go on with
        # @raise [UsageError]
        def ledger(values, ledgers)
          return ledgers.new(File.expand_path(values.fetch(:out) { file_name }), yield) unless values[:resume]
          others = values.keys - @output - %i[resume command]
          if others.any? || values[:command].to_a.any?
            raise UsageError.new("--resume goes on as it was begun",
              "leave out the other options and the command")
          end
          ledgers.open(values[:resume])
        end

        private

        def file_name
          "holdup-#{@experiment}-#{Time.at(@now_s).strftime("%Y%m%d-%H%M%S")}.json"
        end
      end
    end
  end
end
