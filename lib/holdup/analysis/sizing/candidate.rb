# frozen_string_literal: true

require_relative "scenario"

module Holdup
  module Analysis
    module Sizing
      # A deployment that might be better: on one host, so many processes with so many threads each.
      Candidate = Data.define(:processes, :threads, :io_threads, :time_slice_ns) do
        def initialize(processes:, threads:, io_threads: 0, time_slice_ns: Scenario::TIME_SLICE_NS) = super

        # @return [Integer] units that can be in threads at once
        def slots = processes * threads

        # @param other [Candidate]
        # @return [Array<Symbol>] what a person has to turn to get there
        def differences(other) = members.select { |name| public_send(name) != other.public_send(name) }

        # How little there is to turn, and how small what results: the first of a sorted list is the smallest change.
        # @param other [Candidate] what there is now
        # @return [Array<Integer>]
        def effort(other) = [differences(other).size, threads, processes, (time_slice_ns - other.time_slice_ns).abs]

        # @return [Scenario]
        def scenario(**options) = Scenario.of(processes:, threads:, io_threads:, time_slice_ns:, **options)
      end
    end
  end
end
