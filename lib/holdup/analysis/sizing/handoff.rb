# frozen_string_literal: true

module Holdup
  module Analysis
    module Sizing
      # What passes from one holder's end to the next one's start when somebody waits: a thread has to wake up, on a CPU that mostly
      # slept. 20 to 70 us were measured: less the busier the machine. The probe counts what units waited meanwhile (stalled
      # without anybody who caused it), so it is taken as what brings as much of that about when the recording is replayed.
      # Fitting the whole wait instead takes for hand-off whatever else a replay lacks, and is 10 % off where threads are saturated.
      module Handoff
        # Where nothing was recorded that could tell.
        NS = 30_000
        SHORTEST_NS = 1_000
        # Longer ones are waits for a CPU, which replays know otherwise.
        LONGEST_NS = 200_000
        # Nearly proportional: the second attempt is right.
        ATTEMPTS = 2

        # @param measured_ns [Numeric, nil] of a unit's stall, on average, while nobody held the GVL
        # @yieldparam handoff_ns [Numeric]
        # @yieldreturn [Numeric] the same, replayed with that
        # @return [Numeric] ns, with which about the measured one comes out
        def self.fit(measured_ns)
          return NS unless measured_ns&.positive?
          ATTEMPTS.times.inject(NS) do |handoff_ns, _|
            replayed_ns = yield handoff_ns
            replayed_ns.positive? ? (handoff_ns * measured_ns / replayed_ns.to_f).clamp(SHORTEST_NS, LONGEST_NS) : handoff_ns
          end
        end
      end
    end
  end
end
