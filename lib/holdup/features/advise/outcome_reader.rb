# frozen_string_literal: true

module Holdup
  module Advise
    # What came of changes of the size that a store has seen: predicts each from the recording before it and
    # compares that with the measurement after it.
    class OutcomeReader
      # For how long single requests and jobs are kept.
      LOOK_BACK_S = Store::SampleRetention::KEEP_S
      # Reasons of a recording that has too little to predict from.
      FEW = %i[not_enough few_units few_unit_samples warming_up].freeze

      # @param store [Store::Sql] open until all is read
      def initialize(store, kind:, now_s:)
        @store = store
        @kind = kind
        @now_s = now_s
      end

      # @return [Array<SizeChanges::SizeChange>] that are not judged yet, the earliest first; some will be
      #   ready later
      def pending
        judged = judged_changes.to_a.map(&:key)
        kept = @store.outcomes.select { |outcome| outcome.kind == @kind }
        changes.reject { |one| judged.include?(one.key) || kept.any? { |outcome| one.of?(outcome) } }
      end

      # @return [JudgedChanges] as the store has them now
      def judged_changes
        JudgedChanges.new(@kind, @store.answer(JudgedChanges.question(@kind)))
      end

      # @param change [SizeChanges::SizeChange]
      # @return [PredictionOutcome, Symbol] the reason why there is none
      def judge(change)
        return change.confounder if change.confounder
        store = Queries::Origin.new(app: Analysis::ApplicationShares.name(change.before)).of(@store)
        before = read(store, change.changed_s - SizeChanges::SPAN_S, change.changed_s).recommendation
        reason = unpredictable(before) and return reason
        since = measured(store, change)
        since.is_a?(Symbol) ? since : verified(before, since, change)
      end

      private

      def changes
        starts = @store.setting_starts(@now_s - LOOK_BACK_S, @now_s, step_s: SizeChanges::STEP_S,
          kinds: [@kind])
        SizeChanges.new(starts).to_a
      end

      # It sizes requests and jobs as `--verify` does.
      def read(store, from_s, to_s)
        Reader.new(store, from_s:, to_s:, kind: @kind, objective: Sizing::Objective.new)
      end

      # @return [Symbol, nil]
      def unpredictable(before)
        return :few_before if before.nil? || before.reasons.intersect?(FEW)
        :unpredicted if before.reasons.any?
      end

      # @return [Sizing::Recording, Symbol]
      def measured(store, change)
        recordings = read(store, change.since_s, change.to_s).recordings
        since = recordings.find { |recording| recording.setting.unlabelled == change.after }
        return :few_after if since.nil? || since.units < Sizing::Sufficiency::UNITS
        since.problems.intersect?(FEW) ? :few_after : since
      end

      def verified(before, since, change)
        verification = Sizing::Verification.new(before, since)
        span = {from_s: change.changed_s - SizeChanges::SPAN_S, to_s: change.changed_s, at_s: change.to_s}
        verification.outcome(**span) || :same_size
      end
    end
  end
end
