# frozen_string_literal: true

module Holdup
  module Sizing
    # A thread that waits for a CPU keeps the GVL meanwhile. Of the time that it was held without using a CPU
    # this is as much as the system counted as such waits; the rest belongs to the unit.
    class UndisturbedHold
      # @return [Float] of the time held, what is left without such waits
      attr_reader :share

      # @param members [Array<ProcessReport::MeasuredProcess>]
      # @param held_per_cpu [Float] time held against CPU used meanwhile
      def initialize(members, held_per_cpu:)
        waits = members.filter_map(&:waiting_share)
        @share = waits.empty? ? 1.0 : 1 - (waits.sum / waits.size).clamp(0.0, [1 - 1 / held_per_cpu, 0.0].max)
      end

      # @param profiles [Array<UnitSample>]
      # @return [Array<UnitSample>] as they would be on CPUs that nobody else wants
      def profiles(profiles)
        (share < 1) ? profiles.map { |profile| alone(profile) } : profiles
      end

      private

      def alone(profile)
        profile.with(running_ns: (profile.running_ns * share).round,
          longest_hold_ns: (profile.longest_hold_ns * share).round)
      end
    end
  end
end
