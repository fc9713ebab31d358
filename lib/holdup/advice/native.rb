# frozen_string_literal: true

require_relative "finding"

module Holdup
  module Advice
    # Holds that no time slice ended: Ruby code gives way after 100 ms when others wait, native code that keeps the GVL
    # never does.
    module Native
      # A slice is 100 ms, and a timer looks every 10: what others let run for longer than two did not look.
      LONG_NS = 250_000_000
      STARVED = 0.5

      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        row = situation.summary.rows.select { |each| hold(each) >= LONG_NS && computes?(each) }.max_by(&:caused_ns)
        return unless row&.caused_ns&.positive?
        Finding.new(rule: :native, weight: row.caused_ns.fdiv([situation.total.wall_ns, 1].max).clamp(0, 1), **situation.effect(without: situation.literal(row.name)),
          facts: {name: row.name, hold_ns: hold(row), max_ns: row.histogram(:longest_hold).max, query: "report --name #{situation.quoted(row.name)}"})
      end

      # A holder without a CPU holds for long as well.
      def computes?(row) = row.split.share(:starved) <= STARVED * row.split.share(:cpu)

      # @param row [Analysis::Row]
      # @return [Integer] ns for which one in twenty of its units holds the GVL at least without a break
      def hold(row) = row.histogram(:longest_hold).quantile(0.95).to_i
      private_class_method :computes?
    end
  end
end
