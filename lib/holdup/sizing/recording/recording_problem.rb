# frozen_string_literal: true

module Holdup
  module Sizing
    class Recording
    end

    # What is wrong with a recording. `facts` {Symbol => Object} are what a sentence about it needs.
    #
    # | kind | refusal | facts |
    # |---|---|---|
    # | `:mixed_settings` | yes | settings (Array of Setting, most units first), units (Array, as many) |
    # | `:mixed_applications` | yes | likewise |
    # | `:few_units` | yes | units, needed |
    # | `:warming_up` | yes | share (of the units that fell into minutes after a boot) |
    # | `:unsteady` | no | ratio (running time of like units, first third against last third) |
    # | `:cpu_saturated` | no | cpu_share (of the vCPUs in a busy minute) |
    # | `:held_without_cpu` | no | starved_share (of the time that the GVL was held, without a CPU) |
    # | `:pool_bound` | no | pool_share (of the elapsed time that units waited for a connection) |
    # | `:few_profiles` | no | profiles, needed: no replay and no growth |
    #
    # With a refusal there is no advice; with anything else it may miss, for a reason that can be named.
    Recording::RecordingProblem = Data.define(:kind, :refusal, :facts) do
      # @return [Boolean]
      def refusal? = refusal
    end
  end
end
