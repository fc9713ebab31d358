# frozen_string_literal: true

module Holdup
  module Doctor
    module StoreChecks
      module CollectorLock
        # It starts with the server, and needs a moment longer.
        START_NS = 20 * NS

        def self.call(host)
          return Checks::CheckResult.ok(:collector) if host.collector
          return Checks::CheckResult.warn(:collector_starting) if starting?(host)
          return Checks::CheckResult.warn(:collector_idle) if host.segments.empty?
          Checks::CheckResult.fail(:collector_none)
        end

        def self.starting?(host)
          host.alive.any? && host.segments.all? { |process| host.now_ns - process.born_ns < START_NS }
        end
        private_class_method :starting?
      end

      # What the collector can't do at the moment: it logs it, where seldom somebody looks.
      module CollectorTroubles
        def self.call(host)
          host.troubles.filter_map do |subject, message|
            case subject
            when :store then Checks::CheckResult.fail(:collector_failing, message:) unless host.store_problem
            when :spool then Checks::CheckResult.warn(:spool_waiting, message:)
            when :capture then Checks::CheckResult.warn(:capture_lost, message:)
            end
          end
        end
      end

      # Whether reports have something to read, and whether it is up to date.
      module StoreState
        OLD_S = 300

        def self.call(host)
          return problem(host.store_problem) if host.store_problem
          location, bytes, schema = host.store.values_at(:location, :bytes, :schema)
          age = age_s(host)
          return Checks::CheckResult.warn(:store_empty, location:) unless age
          if age > OLD_S && host.alive.any?
            return Checks::CheckResult.warn(:store_old, location:,
              age_ns: age * NS)
          end
          Checks::CheckResult.ok(:store, location:, megabytes: (bytes.to_i / 1e6).ceil, schema:)
        end

        def self.problem(error)
          return Checks::CheckResult.fail(:"store_#{error.kind}", **error.facts) if error.is_a?(StoreError)
          Checks::CheckResult.fail(:store_problem, message: error.message)
        end

        def self.age_s(host)
          newest_s = host.store[:newest_s]
          newest_s && host.now_ns / NS - newest_s
        end
        private_class_method :problem, :age_s
      end

      # Rows that the collector could not store, so that reports miss them.
      module SkippedRows
        # Sentences by what a skipped row means for the numbers.
        KEYS = {checkpoint: :skipped_checkpoint, stored: :skipped_stored}.freeze
        MOST_NAMES = 5

        def self.call(host)
          groups = host.skipped.group_by { |row| KEYS.fetch(row.kind, :skipped_rows) }
          groups.map { |key, rows| result(key, rows) }
        end

        def self.result(key, rows)
          names = rows.map { |row| "#{row.kind} #{row.name} (#{row.count})" }
          more = names.size - MOST_NAMES
          names = [*names.first(MOST_NAMES), "+#{more}"] if more.positive?
          Checks::CheckResult.warn(key, count: rows.sum(&:count), names: names.join(", "),
            reason: rows.first.reason)
        end
        private_class_method :result
      end

      # The applications in the store, where there are several.
      module Applications
        def self.call(host)
          applications = host.applications
          return [] unless applications&.several?
          Checks::CheckResult.ok(:applications, count: applications.shares.size, apps: applications.to_s)
        end
      end

      # Whether requests or jobs are slower than before the last change of setting, and what else changed.
      module Drift
        def self.call(host) = findings(host.drifts)

        # The report shows these findings, too.
        def self.findings(drifts)
          drifts.flat_map do |drift|
            [settings(drift), *drift.moved.map { |estimate| moved(drift, estimate) }].compact
          end
        end

        def self.settings(drift)
          return if drift.differences.empty?
          Checks::CheckResult.ok(:setting_changed, server: drift.change.server,
            facts: drift.differences.join(", "))
        end

        def self.moved(drift, estimate)
          key = :"drift_#{estimate.metric.name}_#{estimate.verdict}"
          facts = {server: drift.change.server, change: format("%.0f %%", estimate.relative.abs * 100),
                   since: Time.at(drift.change.at_s).strftime("%F %H:%M %:z")}
          (estimate.verdict == :worse) ? Checks::CheckResult.warn(key,
**facts) : Checks::CheckResult.ok(key, **facts)
        end
        private_class_method :settings, :moved
      end
    end
  end
end
