# frozen_string_literal: true

module Holdup
  module Analysis
    class Comparison
      # CPU % as dashboards show it: what the processes used of the vCPUs. It follows the traffic, and where
      # an autoscaler keeps it, it is the same before and after. So it has no interval.
      class CpuUse
        def initialize(before, after)
          @sides = [before, after]
        end

        def estimate(metric)
          Estimate.new(metric:, **%i[before after].zip(@sides.map { |side| share(side) }).to_h)
        end

        private

        def share(side)
          members = ProcessReport.new(side.samples, from_s: side.from_s, to_s: side.to_s).members
          cpus = ProcessReport::ServerProcesses.mean_sum(members, &:cpu_share)
          vcpus = side.settings.filter_map { |setting| setting["vcpus"] }.last
          cpus / vcpus / members.map(&:host).uniq.size if cpus && vcpus
        end
      end
    end
  end
end
