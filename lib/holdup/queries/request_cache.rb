# frozen_string_literal: true

module Holdup
  module Queries
    # A store for one request: what a page asks for twice (all units, and one of them among all) is read once.
    # Of several applications it has one, where that is asked for.
    class RequestCache
      # @param store [Store::Sql]
      # @param app [String, nil] application; nil: all
      def initialize(store, app: nil)
        @whole = store
        @app = app
        @answers = {}
      end

      # @return [Array<String>] all that there are to choose from
      def applications
        ApplicationStore.names(@whole)
      end

      # @return [Array<Window>] see Store::Sql#windows
      def windows(*span, **options)
        @answers[[:windows, span, options]] ||= store.windows(*span, **options).to_a
      end

      # @return [Array<Store::SpanSum>] see Store::Sql#sums
      def sums(*span, **options)
        @answers[[:sums, span, options]] ||= store.sums(*span, **options)
      end

      # @return [Array<(Integer, Setting)>] see Store::Sql#setting_starts
      def setting_starts(*span, **options)
        @answers[[:setting_starts, span, options]] ||= store.setting_starts(*span, **options)
      end

      # @return [Array<Store::WindowStall>] see Store::Sql#stalls
      def stalls(*span, **options)
        @answers[[:stalls, span, options]] ||= store.stalls(*span, **options).to_a
      end

      # @return [Integer] see Store::Sql#finest_s
      def finest_s(from_s) = store.finest_s(from_s)

      # @return [Array<Hash>] see Store::Sql#processes
      def processes(*span, **options)
        @answers[[:processes, span, options]] ||= store.processes(*span, **options)
      end

      # @return [Enumerator<UnitSample>] see Store::Sql#profiles
      def profiles(...) = store.profiles(...)

      # @return [Array<Integer>] see Store::Sql#profile_starts
      def profile_starts(*span)
        @answers[[:profile_starts, span]] ||= store.profile_starts(*span)
      end

      # @return [Array<PredictionOutcome>] see Store::Sql#outcomes
      def outcomes = store.outcomes

      # @return [Array<CollectionState>] see Store::Sql#collection_states
      def collection_states
        @answers[:collection_states] ||= store.collection_states
      end

      # @return [Hash{Symbol => Object}] see Store::Sql#health
      def health = @answers[:health] ||= store.health

      # @return [nil]
      def close = @whole.close

      private

      # @raise [UsageError] where no application is called so
      def store
        @store ||= @app ? ApplicationStore.new(@whole, @app) : @whole
      end
    end
  end
end
