# frozen_string_literal: true

module Holdup
  module View
    # How long the requests or jobs of one name wait for locks, where, and who ends that: "CartsController
    # #update waits 61.3 ms for a lock at cart.rb:12 (Mutex); 88 % of it was ended by CartsController#update
    # itself, 12 % by PriceSync."
    class LockWait
      # Columns of a name.
      NAME = 60
      # So many of those who end waits are named, each with this share at least.
      MOST = 2
      NAMED_FROM = 0.05

      # @param summary [Analysis::Summary] without its parts
      # @param name [String]
      # @return [Analysis::LockWaits::LockWaiter, nil] nil where that name hardly waits for locks
      def self.of(summary, name)
        line = summary.lock_waits.names.find { |one| one.name == name }
        line if line && line.share >= Analysis::LockWaits::MENTIONED
      end

      # @param summary [Analysis::Summary] with the part :locks
      # @param line [Analysis::LockWaits::LockWaiter]
      def initialize(summary, line, words:)
        @waits = summary.lock_waits
        @line = line
        @words = words
      end

      # @return [String, nil] nil where nothing but the time is known
      def sentence
        place = @waits.waits_at(@line.name)
        enders = self.enders
        return unless place || enders
        @words.call(:lock_wait, name: name(@line.name), each: Figures.duration(@line.each_ns.round),
          place: location(place), kind: place&.primitive, enders:)
      end

      # @return [String, nil] "88 % of it was ended by CartsController#update itself, 12 % by PriceSync"
      def enders
        known = @waits.ended_by(@line.name).select(&:named?)
        pairs = known.select { |pair| pair.share >= NAMED_FROM }.first(MOST)
        return if pairs.empty?
        pairs.map.with_index { |pair, at| ender(pair, at.zero? ? "first" : "more") }
          .join(@words.call(:lock_ended_and))
      end

      private

      def ender(pair, order)
        own = (pair.causer == pair.victim) ? "_own" : ""
        @words.call(:"lock_ended_#{order}#{own}", share: Figures.rounded_share(pair.share),
          cause: cause(pair.causer), place: (location(@waits.ends_at(pair.causer.name)) if own.empty?))
      end

      def cause(party)
        found = name(party.name.delete_prefix(Series::THREAD))
        (party.kind == :account) ? @words.call(:account, name: found) : found
      end

      def name(text) = Width.truncate(Width.clean(text), NAME)

      def location(place) = place&.location && Width.clean(File.basename(place.location))
    end
  end
end
