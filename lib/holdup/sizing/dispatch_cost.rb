# frozen_string_literal: true

module Holdup
  module Sizing
    # Mean cost between one unit and the next: a server accepts and reads a request, hands it to a thread and
    # cleans up; a job runner fetches a job and reports it. It is outside every unit, but holds the GVL and
    # keeps a thread. `held_ns`: time holding the GVL, in any thread; `idle_ns`: neither holding nor wanting
    # it, while a unit waits for a thread; `acquisitions`: of the GVL.
    DispatchCost = Data.define(:held_ns, :idle_ns, :acquisitions) do
      # @return [Numeric] ns by which a unit reaches its thread later
      def own_ns = held_ns + idle_ns

      # The unit with the work before it, in which it is not yet in flight. A replay takes the GVL once more
      # when it takes the unit: that is one of these acquisitions. With fewer than one for each unit, some
      # units begin in the hold in which their thread ended the last one.
      def before(unit)
        count = (acquisitions + draw(unit)).floor
        more = acquisitions.positive? ? count - 1 : 0
        all = [unit.acquisitions + more, 0].max
        unit.with(held_ns: unit.held_ns + held_ns.round, idle_ns: unit.idle_ns + idle_ns.round,
          acquisitions: all, before: [count, all].min)
      end

      private

      # @return [Float] 0.0...1.0, equally often for unlike units, and always the same for one: the
      #   microseconds of its times below a millisecond
      def draw(unit)
        micros = (unit.held_ns + unit.idle_ns) / self.class::MICROSECOND_NS
        (micros % self.class::DRAWS).fdiv(self.class::DRAWS)
      end
    end

    DispatchCost::MICROSECOND_NS = 1_000
    DispatchCost::DRAWS = 1_000
    DispatchCost::NOTHING = DispatchCost.new(held_ns: 0, idle_ns: 0, acquisitions: 0)
  end
end
