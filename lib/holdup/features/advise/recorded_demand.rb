# frozen_string_literal: true

module Holdup
  module Advise
    # What a mean request needs, or where there are none, a mean job.
    #
    # - `kind`: :request or :job; `count`: how many were recorded; `demand`: a ServiceDemand
    RecordedDemand = Data.define(:kind, :count, :demand) do
      # @param windows [Array<Window>] of requests and jobs
      # @return [RecordedDemand, nil] nil without any that held the GVL
      def self.of(windows)
        by_kind = windows.group_by { |window| window.series.kind }
        Queries::SelectionOptions::KINDS.lazy.filter_map { |kind| mean(kind, by_kind.fetch(kind, [])) }.first
      end

      def self.mean(kind, windows)
        count = windows.sum(&:count)
        held, idle = %i[running idle].map { |name| windows.sum { |window| window.histograms[name].sum } }
        return unless count.positive? && held.positive?
        acquisitions = windows.sum { |window| window.sums[:acquisitions] }
        demand = Sizing::ServiceDemand.new(held_ns: held.fdiv(count), idle_ns: idle.fdiv(count),
          acquisitions: [acquisitions.fdiv(count).round, 1].max)
        new(kind:, count:, demand:)
      end
      private_class_method :mean
    end
  end
end
