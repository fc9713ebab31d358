# frozen_string_literal: true

module Holdup
  module Doctor
    module Checks
      # What could not be carried or kept, and is therefore missing in reports.
      module SkippedRows
        # By what it means for the numbers.
        KEYS = {position: :skipped_position, stored: :skipped_stored}.freeze
        MOST_NAMES = 5

        def self.call(host)
          groups = host.skipped.group_by { |row| KEYS.fetch(row.kind, :skipped_rows) }
          groups.map { |key, rows| finding(key, rows) }
        end

        def self.finding(key, rows)
          names = rows.map { |row| "#{row.kind} #{row.name} (#{row.count})" }
          more = names.size - MOST_NAMES
          names = [*names.first(MOST_NAMES), "+#{more}"] if more.positive?
          CheckResult.warn(key, count: rows.sum(&:count), names: names.join(", "), reason: rows.first.reason)
        end
        private_class_method :finding
      end
    end
  end
end
