# frozen_string_literal: true

module Holdup
  module Analysis
    # What those do for whom others wait for the GVL.
    #
    # - `sampled`: MethodLine in which they make others wait most, whoever waits; nil without a sample:
    #   only long holds have one
    # - `called`: CallLine that they make most often, where there is no sample; nil where each makes few calls
    HolderPlace = Data.define(:sampled, :called) do
      # @param name [String] of requests or jobs, or of a thread's account
      # @param methods [Enumerable<Holdup::Window>] of kind :method
      # @param calls [Enumerable<Holdup::Window>] of kind :call
      # @param units [Enumerable<Holdup::Window>] of the requests and jobs
      # @return [HolderPlace, nil] nil where nothing is known
      def self.of(name, methods:, calls:, units:)
        own_methods, own_calls, own_units = [methods, calls, units].map do |windows|
          windows.select { |window| window.series.name == name }
        end
        sampled = MethodLine.all(own_methods.map { |window| MethodLine.place(window) }).first
        return new(sampled:, called: nil) if sampled
        called = UnitCalls.all(own_calls, units: own_units).flat_map(&:lines).max_by(&:count)
        new(sampled: nil, called:) if called && called.each >= HolderPlace::FEWEST
      end
    end

    # Calls of each request or job: many short holds are the reason then. A single call explains nothing.
    HolderPlace::FEWEST = 2
  end
end
