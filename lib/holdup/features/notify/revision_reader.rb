# frozen_string_literal: true

module Holdup
  module Notify
    # Compares the revision that each application runs with the one before, as `holdup compare --revision`
    # does. It looks when the revision is half an hour old, and at each doubling of that: what is looked at
    # every minute finds a difference by chance sooner or later.
    class RevisionReader
      LOOK_BACK_S = DAY_S
      FIRST_S = 1800
      # Revisions of less time than this are not told apart.
      STEP_S = 300
      # Processes of a revision that has gone for so long were ended; one that comes back begins again.
      GONE_S = 1800

      # What an application runs: `revision` since `began_s`, after `before`
      RunningRevision = Data.define(:app, :revision, :before, :began_s)
      private_constant :RunningRevision

      # @param known [Array<RevisionFacts>] what was found before
      def initialize(store, now_s:, words:, known: [])
        @store = store
        @now_s = now_s
        @words = words
        @known = known
      end

      # @return [Array<RevisionFacts>] of each application that has two revisions to compare
      def call
        changed.filter_map do |running|
          look_s = look_s(running)
          known(running, look_s) || (compared(running, look_s) if look_s)
        end
      end

      private

      # @return [Integer, nil] seconds on each side; nil: the revision is too young
      def look_s(running)
        age_s = @now_s - running.began_s
        FIRST_S << (age_s / FIRST_S).bit_length - 1 if age_s >= FIRST_S
      end

      def known(running, look_s)
        @known.find do |facts|
          facts.to_h.slice(:app, :revision, :began_s) == running.to_h.slice(:app, :revision, :began_s) &&
            (look_s.nil? || facts.look_s == look_s)
        end
      end

      # @return [Array<RunningRevision>]
      def changed
        starts = @store.setting_starts(@now_s - LOOK_BACK_S, @now_s, step_s: STEP_S, kinds: Series::UNITS)
        with_revision = starts.select { |_, setting| setting["revision"] }
        with_revision.group_by { |_, setting| setting["app"] }.filter_map { |app, same| running(app, same) }
      end

      def running(app, starts)
        by_revision = starts.group_by { |_, setting| setting["revision"] }
          .transform_values { |same| same.map(&:first).sort }
        began = by_revision.transform_values { |moments| last_run(moments).first }
        revision, began_s = began.max_by(&:last)
        before, = by_revision.except(revision).max_by do |_, moments|
          moments.reverse.find { |moment| moment < began_s }.to_i
        end
        RunningRevision.new(app:, revision:, before:, began_s:) if before
      end

      # @param moments [Array<Integer>] ascending
      def last_run(moments)
        moments.slice_when { |one, another| another - one > GONE_S }.to_a.last
      end

      def compared(running, look_s)
        began_s = running.began_s
        sides = @store.snapshot do
          %i[request job].lazy.filter_map { |kind| sides(running, look_s, kind) }.first
        end
        return unless sides
        comparison = Compare::Comparison.new(*sides, percentiles: %i[wall])
        answer = comparison.verdict
        moved = answer.moved.select { |estimate| estimate.verdict(answer.level) == :worse }
        sentences = Compare::Sentences.new(comparison, words: @words)
        RevisionFacts.new(app: running.app, revision: running.revision, before: running.before, began_s:,
          look_s:, key: answer.key, text: @words.sentences([sentences.lead, sentences.cause]),
          moved: moved.map { |estimate| [estimate.metric.name.name, estimate.relative&.round(4)] })
      end

      # @return [Array<Compare::Side>, nil] nil: one of them has no such requests or jobs
      def sides(running, look_s, kind)
        began_s = running.began_s
        spans = {running.before => [began_s - look_s, began_s],
                 running.revision => [began_s, began_s + look_s]}
        parts = spans.map do |revision, (from_s, to_s)|
          source = Compare::Reader.new(@store, from_s:, to_s:, filter: Analysis::UnitFilter.new(kind:))
          settings = source.settings.keys.select do |setting|
            setting["revision"] == revision && setting["app"] == running.app
          end
          return nil if settings.empty?
          [source, revision, settings]
        end
        Compare::Reader.sides(parts)
      end
    end
  end
end
