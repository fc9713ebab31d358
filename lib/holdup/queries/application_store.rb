# frozen_string_literal: true

module Holdup
  module Queries
    # A Store::Sql with the data of one application only.
    class ApplicationStore
      # Applications that have written to the store.
      def self.names(store)
        store.settings.map { |setting| Analysis::ApplicationShares.name(setting) }.uniq.sort
      end

      # @raise [UsageError] for an unknown application
      def initialize(store, name)
        @store = store
        @name = name
        @settings = store.settings.select { |setting| Analysis::ApplicationShares.name(setting) == name }
        if @settings.empty?
          raise UsageError.new("the store has no application named #{name[0, 100].inspect}", hint(name))
        end
        @own = @settings.to_set
        @fingerprints = [nil, *@settings.map(&:fingerprint)]
      end

      attr_reader :settings

      def windows(...)
        @store.windows(...).select { |window| own?(window.setting) }
      end

      def sums(*span, settings: nil, **options)
        own = settings ? settings.select { |setting| own?(setting) } : @settings
        @store.sums(*span, settings: own, **options)
      end

      def setting_starts(...)
        @store.setting_starts(...).select { |_, setting| own?(setting) }
      end

      def stalls(...)
        @store.stalls(...).to_a.select { |stall| own?(stall.setting) }
      end

      # Containers that other applications share have :shared.
      def processes(...)
        own, others = @store.processes(...).partition { |sample| @fingerprints.include?(sample[:setting]) }
        hosts = others.map { |sample| sample[:host] }.to_set
        own.map do |sample|
          shared = sample[:setting].nil? && hosts.include?(sample[:host])
          shared ? sample.merge(shared: true) : sample
        end
      end

      def profiles(...)
        @store.profiles(...).select { |profile| own?(profile.setting) }
      end

      def profile_starts(...) = @store.profile_starts(...)

      def outcomes
        @store.outcomes.select { |outcome| outcome.app == @name }
      end

      # Of all applications.
      def collection_states = @store.collection_states

      # Of all applications.
      def skipped_rows = @store.skipped_rows

      def finest_s(from_s) = @store.finest_s(from_s)

      def health = @store.health

      def close = @store.close

      private

      def own?(setting) = @own.include?(setting)

      def hint(name)
        known = self.class.names(@store)
        return "nothing has been recorded yet" if known.empty?
        OptionValues::NearestName.hint(name, known) || "there are #{known.first(10).join(", ")}"
      end
    end
  end
end
