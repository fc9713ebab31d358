# frozen_string_literal: true

require_relative "batch"
require_relative "filter"
require_relative "memory/rows"
require_relative "memory/profiles"
require_relative "prune"
require_relative "read_plan"
require_relative "rollup"
require_relative "stall"
require_relative "sum"

module Holdup
  module Stores
    # Keeps everything in this process: for tests, and for a look without a file. Same interface and same contract test
    # as Sql, whose head comment says what each method means.
    class Memory
      def initialize
        @rows = Rows.new
        @progress = {}
        @processes = {}
        @paths = {}
        @outcomes = {}
        @profiles = Profiles.new
      end

      # @see Sql#commit
      def commit(windows, progress, processes: [], profiles: [], paths: {})
        batch = Batch.new(windows)
        @rows.transaction do
          @rows.merge(batch.rows(@rows.tiers))
          progress.each { |segment, blob| blob ? @progress[segment] = blob.b.freeze : @progress.delete(segment) }
          processes.each { |sample| @processes[sample.values_at(:at_s, :host, :pid)] = sample.dup.freeze }
          @profiles.merge(profiles)
          @paths.merge!(paths)
        end
        nil
      end

      # @see Sql#paths
      def paths = @rows.transaction { @paths.dup }

      # @see Sql#progress
      def progress = @rows.transaction { @progress.dup }

      # @see Sql#windows
      def windows(from_s, to_s, seconds: nil, histograms: Window::HISTOGRAMS, **filter)
        filter = Filter.new(**filter)
        Enumerator.new do |found|
          ReadPlan.new(@rows.tiers).stretches(from_s, to_s, seconds:).each do |stretch|
            @rows.between(stretch.seconds, stretch.from_s, stretch.to_s).each { |window| found << window.spread_of(histograms) if filter.match?(window.series) }
          end
        end
      end

      # @see Sql#sums
      def sums(from_s, to_s, step_s: nil, seconds: step_s, settings: nil, together: nil, histograms: Window::HISTOGRAMS, **filter)
        Sum.of(windows(from_s, to_s, seconds:, **filter), step_s:, settings:, together:, histograms:)
      end

      # @see Sql#sightings
      def sightings(from_s, to_s, step_s:, **filter)
        windows(from_s, to_s, seconds: step_s, **filter).group_by { |window| [window.start_s / step_s, window.setting] }.map { |(_, setting), same| [same.map(&:start_s).min, setting] }
      end

      # @see Sql#stalls
      def stalls(...) = windows(...).lazy.map { |window| Stall.of(window) }

      # @see Sql#finest_s
      def finest_s(from_s) = Tier.finest_s(@rows.tiers, from_s)

      # @see Sql#processes
      def processes(from_s, to_s, every_s: nil)
        samples = @rows.transaction { @processes.values.select { |sample| sample[:at_s] >= from_s && sample[:at_s] < to_s }.sort_by { |sample| sample[:at_s] } }
        every_s ? samples.to_h { |sample| [[sample[:host], sample[:pid], sample[:at_s] / every_s], sample] }.values.sort_by { |sample| sample[:at_s] } : samples
      end

      # @see Sql#profiles
      def profiles(from_s, to_s, setting: nil)
        Enumerator.new { |found| @rows.transaction { @profiles.between(from_s, to_s, setting) }.each { |profile| found << profile } }
      end

      # @see Sql#profile_starts
      def profile_starts(from_s, to_s) = @rows.transaction { @profiles.starts(from_s, to_s) }

      # @see Sql#settings
      def settings = @rows.transaction { @rows.windows.map(&:setting).uniq }

      # @see Sql#keep
      def keep(outcome)
        @rows.transaction { @outcomes[outcome.key] = outcome }
        nil
      end

      # @see Sql#outcomes
      def outcomes = @rows.transaction { @outcomes.values.sort_by(&:at_s) }

      # @see Sql#rollup
      def rollup(now_s) = Rollup.new(@rows).run(now_s)

      # @see Sql#prune
      def prune(now_s, max_bytes:)
        @rows.transaction do
          @processes.reject! { |(at_s, *), _| at_s < now_s - Tier::KEEP_S.fetch(Tier::FINEST) }
          @profiles.prune(now_s, max_bytes)
          @outcomes.delete_if { |_, outcome| outcome.at_s < now_s - Tier::LONGEST_S }
        end
        Prune.new(@rows).run(now_s, max_bytes:)
      end

      # @see Sql#health
      def health
        starts = @rows.windows.map(&:start_s)
        {location: "memory:", schema: nil, bytes: @rows.bytes, read_only: false, series: @rows.windows.map(&:series).uniq.size,
         oldest_s: starts.min, newest_s: starts.max}
      end

      # Nothing to migrate.
      def migrate! = nil

      # Nothing to close.
      def close = nil
    end
  end
end
