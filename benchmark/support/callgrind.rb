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

    # What calls of one function took, with what it called.
    FunctionCost = Data.define(:calls, :instructions) do
      def each = calls.zero? ? 0.0 : instructions.fdiv(calls)

      def +(other) = with(calls: calls + other.calls, instructions: instructions + other.instructions)
    end

    # @param arguments [Array] for the arm, which prints {"name": pid, ...}
    # @return [Hash{String => Hash{String => FunctionCost}}] by name and function
    def functions(*arguments, env: {})
      run(*arguments, env:) do |pids, dir|
        pids.transform_values { |pid| FunctionCosts.new(File.join(dir, pid.to_s)).to_h }
      end
    end

    # @param arguments [Array] for the arm, which prints {"name": [[count, pid], ...], ...} with ever more of
    #   each
    # @return [Hash{String => Spread}] instructions of one operation
    def call(*arguments, env: {})
      run(*arguments, env:) do |pids, dir|
        pids.transform_values { |runs| steps(runs.map { |count, pid| [count, instructions(dir, pid)] }) }
      end
    end

    private

    def run(*arguments, env:)
      Dir.mktmpdir("holdup-bench") do |dir|
        wrapper = ["valgrind", "--quiet", "--tool=callgrind", "--callgrind-out-file=#{dir}/%p"]
        yield Fresh.call(@arm, *arguments, options: [], wrapper:, env:, seconds: SECONDS), dir
      end
    end

    def instructions(dir, pid)
      File.foreach(File.join(dir, pid.to_s)) { |line| return line[SUMMARY, 1].to_i if SUMMARY.match?(line) }
      raise Failure, "callgrind wrote no totals"
    end

    def steps(totals)
      Spread.of(totals.each_cons(2).map { |(less, before), (more, after)|
        (after - before).fdiv(more - less)
      })
    end

    # The calls in a file of callgrind. It writes a name once, with a number, and the number from then on.
    class FunctionCosts
      CALLED = /\Acfn=\((\d+)\)(?: (.+))?/
      NAMED = /\A(?:fn|cfn)=\((\d+)\) (.+)/
      CALLS = /\Acalls=(\d+)/

      def initialize(path)
        @path = path
      end

      # @return [Hash{String => FunctionCost}]
      def to_h
        names = {}
        sums = Hash.new(FunctionCost.new(0, 0))
        called = calls = nil
        File.foreach(@path) do |line|
          names[$1] = $2.chomp if NAMED.match(line)
          called = $1 if CALLED.match(line)
          calls = line[CALLS, 1]&.to_i || add(sums, names[called], calls, line)
        end
        sums
      end

      private

      # The line after the one with the number of calls has their cost.
      # @return [nil]
      def add(sums, name, calls, line)
        sums[name] += FunctionCost.new(calls, line.split.last.to_i) if calls
        nil
      end
    end
  end
end
