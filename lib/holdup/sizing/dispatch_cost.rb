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

      # The unit with the work before it, in which it is not yet in flight.
      def before(unit)
        unit.with(held_ns: unit.held_ns + held_ns.round, idle_ns: unit.idle_ns + idle_ns.round,
          acquisitions: unit.acquisitions + acquisitions.round, before: acquisitions.round)
      end
    end

    DispatchCost::NOTHING = DispatchCost.new(held_ns: 0, idle_ns: 0, acquisitions: 0)
  end
end
