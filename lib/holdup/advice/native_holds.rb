# frozen_string_literal: true

module Holdup
  module Advice
    # Long holds. Ruby code gives way after 100 ms, but only while another thread waits: long holds alone say
    # nothing of C code. Where others waited for longer than that in each unit, and no time slice ended its
    # holds, code that keeps the GVL is named.
    module NativeHolds
      # A slice is 100 ms, and a timer looks every 10: what others let run for longer than two did not look.
      LONG_NS = 250_000_000
      STARVED = 0.5
      # Of the holds that a slice would have ended.
      PREEMPTED = 0.5

      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        row = situation.summary.rows.select { |each| hold(each) >= LONG_NS && computes?(each) }.max_by(&:caused_ns)
        return unless row&.caused_ns&.positive?
        rule = native?(row, situation.threads) ? :native : :long_hold
        weight = row.caused_ns.fdiv([situation.total.wall_ns, 1].max).clamp(0, 1)
        facts = {**facts(row), query: "report --name #{situation.quoted(row.name)}"}
        Finding.new(rule:, weight:, facts:, **situation.effect(without: situation.literal(row.name)))
      end

      def facts(row)
        {name: row.name, hold_ns: hold(row), max_ns: row.histogram(:longest_hold).max,
         waited_ns: row.per_unit(row.caused_ns), preempted: preempted(row)}
      end

      # A holder without a CPU holds for long as well.
      def computes?(row)
        row.split.share(:starved) <= STARVED * row.split.share(:cpu)
      end

      # All other threads of its process at once can't have waited for less.
      # @param threads [Integer, nil] of a process
      def native?(row, threads)
        return false unless threads
        waited_ns = row.per_unit(row.caused_ns) / [threads - 1, 1].max
        waited_ns >= LONG_NS && preempted(row) < PREEMPTED
      end

      def preempted(row)
        row.per_unit(row.sum(:preemptions)).to_f
      end

      # @param row [Analysis::SeriesRow]
      # @return [Integer] ns for which one in twenty of its units holds the GVL at least without a break
      def hold(row)
        row.histogram(:longest_hold).quantile(0.95).to_i
      end
      private_class_method :facts, :computes?, :native?, :preempted
    end
  end
end
