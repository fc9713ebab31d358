# frozen_string_literal: true

module Holdup
  module Lab
    # What became of a route's requests. Latencies are nanoseconds from the moment a request was due to the
    # end of its answer. `errors`: status 500 and up, or no whole answer (`lost`); `unexpected`: not among the
    # route's expected.
    ExchangeOutcome = Data.define(:label, :count, :errors, :lost, :unexpected, :p50_ns, :p95_ns, :p99_ns) do
      # Requests that the server answered, and so must have counted.
      def answered = count - lost
    end
  end
end
