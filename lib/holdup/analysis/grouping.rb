# frozen_string_literal: true

module Holdup
  module Analysis
    # Turns ledger entries into the rows of a report: by name (kind, name and queue apart), setting, process,
    # queue or priority.
    class Grouping
      BY = %i[name setting process queue priority].freeze
      # The name of a row of units without a queue: requests, and jobs of a runner that knows none, each their
      # own.
      NO_QUEUE = "-"
      # What rows can be sorted by, the largest first.
      SORT = {stalled: :stalled_ns, caused: :caused_ns, wall: :wall_ns, count: :count}.freeze

      # @param entries [Array<WindowTable::WindowEntry>]
      # @param by [Symbol] one of BY
      # @param sort [Symbol] a key of SORT
      # @param settings [SettingLabels]
      def initialize(entries, by:, sort:, settings:)
        @entries = entries
        @by = by
        @sort = SORT.fetch(sort)
        @settings = settings
      end

      # @return [Array<SeriesRow>]
      def rows
        @entries.group_by { |entry| key(entry) }.map { |key, entries| row(key, entries) }
          .sort_by { |row| order(row) }
      end

      private

      # Priorities have an order of their own, in each queue.
      def order(row)
        (@by == :priority) ? [row.queue.to_s,
          Integer(row.name, exception: false) || Float::INFINITY] : [-row.public_send(@sort), row.name]
      end

      # @return [Array] name, kind, queue
      def key(entry)
        case @by
        when :name, :process, :priority then entry.series.to_h.values_at(:name, :kind, :queue)
        when :queue then [entry.series.queue || NO_QUEUE, entry.series.kind, entry.series.queue]
        when :setting then [@settings.name(entry.setting), nil, nil]
        end
      end

      def row((name, kind, queue), entries)
        settings = entries.filter_map { |entry| entry.setting&.fingerprint }.uniq
        SeriesRow.new(name:, kind:, queue:, settings:,
          queues: entries.map { |entry| entry.series.queue }.uniq, window: WindowSum.sum(entries.map(&:window)))
      end
    end
  end
end
