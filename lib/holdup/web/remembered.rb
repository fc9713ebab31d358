# frozen_string_literal: true

require_relative "../inquiry/of_application"

module Holdup
  class Web
    # A store for one request: what a page asks for twice (all units, and one of them among all) is read once. Of several
    # applications it has one, where that is asked for.
    class Remembered
      # @param store [Stores::Sql]
      # @param app [String, nil] application; nil: all
      def initialize(store, app: nil)
        @whole = store
        @app = app
        @answers = {}
      end

      # @return [Array<String>] all that there are to choose from
      def applications = Inquiry::OfApplication.names(@whole)

      # @return [Array<Window>] see Stores::Sql#windows
      def windows(*span, **options) = @answers[[:windows, span, options]] ||= store.windows(*span, **options).to_a

      # @return [Array<Stores::Sum>] see Stores::Sql#sums
      def sums(*span, **options) = @answers[[:sums, span, options]] ||= store.sums(*span, **options)

      # @return [Array<(Integer, Setting)>] see Stores::Sql#sightings
      def sightings(*span, **options) = @answers[[:sightings, span, options]] ||= store.sightings(*span, **options)

      # @return [Array<Stores::Stall>] see Stores::Sql#stalls
      def stalls(*span, **options) = @answers[[:stalls, span, options]] ||= store.stalls(*span, **options).to_a

      # @return [Integer] see Stores::Sql#finest_s
      def finest_s(from_s) = store.finest_s(from_s)

      # @return [Array<Hash>] see Stores::Sql#processes
      def processes(*span, **options) = @answers[[:processes, span, options]] ||= store.processes(*span, **options)

      # @return [Enumerator<UnitProfile>] see Stores::Sql#profiles
      def profiles(...) = store.profiles(...)

      # @return [Array<Integer>] see Stores::Sql#profile_starts
      def profile_starts(*span) = @answers[[:profile_starts, span]] ||= store.profile_starts(*span)

      # @return [Array<Outcome>] see Stores::Sql#outcomes
      def outcomes = store.outcomes

      # @return [Array<CollectionState>] see Stores::Sql#collection_states
      def collection_states = @answers[:collection_states] ||= store.collection_states

      # @return [Hash{Symbol => Object}] see Stores::Sql#health
      def health = @answers[:health] ||= store.health

      # @return [nil]
      def close = @whole.close

      private

      # @raise [UsageError] where no application is called so
      def store = @store ||= @app ? Inquiry::OfApplication.new(@whole, @app) : @whole
    end
  end
end
