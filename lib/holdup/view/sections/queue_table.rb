# frozen_string_literal: true

module Holdup
  module View
    module Sections
      # How long units wait for a thread, how many get done, and how much of the threads they take.
      class QueueTable < SectionBase
        # @return [Section, nil] nil for requests of which nobody knows any of it
        def call
          columns = [word(:units), "/s", word(:queued_p50), word(:queued_p95), word(:queued_max),
            word(:capacity)]
          if wanted?
            figures_section(:queues, columns, notes: [*priorities, word(:queues_note)]) { |row| cells(row) }
          end
        end

        private

        def wanted?
          summary.by == :queue || summary.unit_kind != :request || !summary.capacity_share(summary.total).nil?
        end

        def priorities
          return [] unless summary.by == :priority
          without = summary.total.count - summary.rows.sum(&:count)
          [word(:priorities_note),
            *(without.positive? ? [word(:without_priority, count: Figures.count(without))] : [])]
        end

        def cells(row)
          queued = row.histogram(:queued)
          [Figures.short_count(row.count), Figures.rate(summary.throughput(row.count)),
            *[queued.quantile(0.5), queued.quantile(0.95), queued.max].map { |value| duration(value) }, Figures.share(summary.capacity_share(row))]
        end
      end
    end
  end
end
