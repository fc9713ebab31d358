# frozen_string_literal: true

module Holdup
  module Sizing
    # What it takes from one unit to the next, on average: a server accepts and reads a request, hands it to a
    # thread and clears up behind it; a job runner fetches a job and reports it. It is part of no unit, and
    # yet it holds the GVL and keeps a thread.
    #
    # - `held_ns`: time holding the GVL, in whichever thread; `idle_ns`: neither holding nor wanting it, while
    #   a thread is waited for
    # - `acquisitions`: how often the GVL is taken for that
    DispatchCost = Data.define(:held_ns, :idle_ns, :acquisitions) do
      # @return [Numeric] ns that a unit comes later into the hands of a thread
      def own_ns = held_ns + idle_ns

      # @return [Trace::TraceUnit] with what was before it, in which it is not yet in flight
      def before(unit)
        unit.with(held_ns: unit.held_ns + held_ns.round, idle_ns: unit.idle_ns + idle_ns.round,
          acquisitions: unit.acquisitions + acquisitions.round, before: acquisitions.round)
      end
    end

    DispatchCost::NOTHING = DispatchCost.new(held_ns: 0, idle_ns: 0, acquisitions: 0)
  end
end
