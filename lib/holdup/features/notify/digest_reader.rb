# frozen_string_literal: true

module Holdup
  module Notify
    # Reads the last seven days, and the seven before: the same days of the week, so they had the same kind of
    # traffic.
    class DigestReader
      WEEK_S = 7 * DAY_S
      KINDS = Analysis::SettingChanges::KINDS

      # @param configuration [Configuration] for the SLO and the prices
      def initialize(store, configuration:, words:, now_s:)
        @store = store
        @configuration = configuration
        @words = words
        @to_s = now_s
        @from_s = now_s - WEEK_S
      end

      # @return [WeekFacts, nil] nil: nothing was recorded in these days
      def call
        @store.snapshot { week }&.with(advice:)
      end

      private

      def week
        after = summary(@from_s, @to_s) { |one| View::Headline.parts(one) }
        return if after.empty?
        before = summary(@from_s - WEEK_S, @from_s) { [] }
        before = nil if before.empty?
        WeekFacts.new(from_s: @from_s, to_s: @to_s, before:, after:,
          comparisons: before ? comparisons : {}, changes:, acts:, deaths:, notices:, advice: [])
      end

      def summary(from_s, to_s, &)
        Queries::LoadSummary.call(@store, from_s:, to_s:, &)
      end

      def comparisons
        compared = KINDS.to_h { |kind| [kind, Compare::Comparison.new(*sides(kind), percentiles: %i[wall])] }
        compared.select { |_, comparison| comparison.any? }
      end

      def sides(kind)
        filter = Analysis::UnitFilter.new(kind:)
        parts = [[@from_s - WEEK_S, @from_s, :digest_week_before], [@from_s, @to_s, :digest_week]]
        Compare::Reader.sides(parts.map { |from_s, to_s, label|
          [Compare::Reader.new(@store, from_s:, to_s:, filter:), @words.call(:"notify_#{label}"), nil]
        })
      end

      # What ran before is known from the week before.
      def changes
        all = Queries::SettingHistory.changes(@store, from_s: @from_s - WEEK_S, to_s: @to_s)
        all.select { |change| change.at_s >= @from_s }
      end

      def acts = Autopilot::ActsReader.call(@store, @from_s, @to_s)

      def deaths = @store.deaths(@from_s, @to_s)

      def notices
        @store.notices(@from_s, @to_s).select { |notice| notice.state == :began && notice.rule != "digest" }
      end

      # Replays take seconds, in which the store is not held.
      def advice
        goal = Advise::DashboardGoal.of(@configuration)
        Advise::WeeklyAdviceReader.call(@store, from_s: @from_s, to_s: @to_s, **goal)
      end
    end
  end
end
