# frozen_string_literal: true

require "tmpdir"
require_relative "fresh"
require_relative "spread"

module Bench
  # Counts the instructions of what an arm does, with valgrind.
  #
  # The arm boots once and forks a process for each count: the difference of two of them has neither the boot
  # in it nor the warm-up, and what one boot does otherwise than another (hash seeds, addresses) is the same
  # in both.
  class Callgrind
    # Loading a tracer takes a minute under valgrind.
    SECONDS = 1200
    SUMMARY = /^(?:summary|totals): (\d+)/

    def initialize(arm)
      @arm = arm
    end

    # @param arguments [Array] for the arm, which prints {"name": [[count, pid], ...], ...} with ever more of
    #   each
    # @return [Hash{String => Spread}] instructions of one operation
    def call(*arguments, env: {})
      Dir.mktmpdir("holdup-bench") do |dir|
        wrapper = ["valgrind", "--quiet", "--tool=callgrind", "--callgrind-out-file=#{dir}/%p"]
        pids = Fresh.call(@arm, *arguments, options: [], wrapper:, env:, seconds: SECONDS)
        pids.transform_values { |runs| steps(runs.map { |count, pid| [count, instructions(dir, pid)] }) }
      end
    end

    private

    def instructions(dir, pid)
      File.foreach(File.join(dir, pid.to_s)) { |line| return line[SUMMARY, 1].to_i if SUMMARY.match?(line) }
      raise Failure, "callgrind wrote no totals"
    end

    def steps(totals)
      Spread.of(totals.each_cons(2).map { |(less, before), (more, after)|
        (after - before).fdiv(more - less)
      })
    end
  end
end
