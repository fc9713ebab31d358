# frozen_string_literal: true

require "spread"

module Bench
  # Times loops within one process, in CPU time: with one thread at work that is the elapsed time less what
  # the neighbours of a shared machine took, and helper threads of a tool count as what they are, a cost.
  module Clocked
    SLICES = 7

    # The median of several slices, after one to warm up.
    # @param count [Integer] operations a slice
    # @yieldparam count [Integer] how often to do it
    # @return [Float] nanoseconds of one
    def self.slices(count)
      yield count
      Spread.of(Array.new(SLICES) { seconds { yield count } }).median * 1e9 / count
    end

    def self.seconds
      before = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
      yield
      Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - before
    end
    private_class_method :seconds
  end
end
