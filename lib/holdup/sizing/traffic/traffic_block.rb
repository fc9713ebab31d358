# frozen_string_literal: true

module Holdup
  module Sizing
    class Traffic
    end

    # A stretch of a recording. `rates`: units per second and host in each of its minutes; `profiles`: units
    # that were kept of it; `company`: units of the other kind per second and host in the same minutes, empty
    # where there are none, see Company
    Traffic::TrafficBlock = Data.define(:start_s, :rates, :profiles, :company) do
      def initialize(start_s:, rates:, profiles:, company: [])
        super
      end

      # @return [Float] how many units it stands for
      def weight = rates.sum

      # @return [Array<(UnitSample, Float)>] each with how many units it stands for
      def scaled
        factor = weight / profiles.sum(0.0, &:weight)
        profiles.map { |profile| [profile, profile.weight * factor] }
      end

      # @return [Array<(Float, Float)>] rates of either, minute by minute
      def pairs
        rates.zip(company).map { |own, other| [own, other.to_f] }
      end
    end
  end
end
