# frozen_string_literal: true

module Holdup
  module Store
    # What collectors write to a store, and its upkeep: this file is the contract, and a store writes only
    # how. A store has one writer per host and any number of readers. Each method raises a StoreError, and
    # then nothing was written.
    #
    # Commits add *deltas*: what happened in a minute since the last commit. The store adds each to the
    # existing row (same minute, series, setting and host), and to the coarser windows if the minute was
    # already rolled up, in the transaction that saves the checkpoints. A caller that repeats a failed commit
    # must therefore start again from the stored checkpoints; then every unit is counted once.
    module Writer
      # Writes everything or nothing. With a block, it leaves out rows that can't be written and yields them,
      # unless all windows fail, which is not the fault of a row.
      # @param windows [Array<Window>] deltas of whole minutes (seconds 60), with setting and host
      # @param checkpoints [Hash{String => String, nil}] segment => checkpoint; nil deletes
      # @param processes [Array<Hash>] samples with :at_s, :host, :pid and any facts (scalars); a second one
      #   with the same three replaces the first
      # @param unit_samples [Array<SampleBlock>] merged with the stored ones
      # @param slowest [Array<SlowestBlock>] merged with the stored ones
      # @param arrivals [Array<ArrivalBlock>] added to the stored ones
      # @param paths [Hash{Series => String}] one path of each; it replaces the one before
      # @param skipped [Array<SkippedRow>] added up with the stored ones
      # @param collector_checkpoint [CollectorCheckpoint, nil] how far the collector is after this commit
      # @param audit [Array<AuditEntry>] entries of the audit log; one whose source is known is left out
      # @param deaths [Array<Autopsy>] one whose source is known is left out
      # @param returned [Array<Autopsy>] stored ones to remove: their processes were not lost after all
      # @param notices [Array<Notice>] one whose source is known is left out: `notices` says whose is stored.
      #   ClickHouse can't make writers wait, so two that write in the same moment may both find their own
      # @param recent [RecentFigures, nil] what of it is kept for an hour; it replaces that of its host and
      #   slot
      # @param lengths [Array<Integer>] see WindowBatch; longer windows only come from another store
      # @param expected [Hash{String => String, nil}] segment => checkpoint that must still be stored so
      # @yieldparam row [Window, Hash, SampleBlock, SlowestBlock, ArrivalBlock, Array(Series, String)] that
      #   can't be written
      # @yieldreturn [SkippedRow] to write instead
      # @return [nil]
      # @raise [ArgumentError] for windows of another length
      # @raise [StoreError] Overtaken when `expected` is not so
      def commit(windows, checkpoints, processes: [], unit_samples: [], slowest: [], arrivals: [], paths: {},
        skipped: [], collector_checkpoint: nil, audit: [], deaths: [], returned: [], notices: [], recent: nil,
        lengths: [Tier::FINEST], expected: {}, &bad_row)
        raise(NotImplementedError)
      end

      # @param outcome [PredictionOutcome] replaces the one with the same key
      # @return [nil]
      def keep(outcome) = raise(NotImplementedError)

      # @param answer [KeptAnswer] replaces the one to the same question
      # @return [nil]
      def keep_answer(answer) = raise(NotImplementedError)

      # Says of windows that were taken from another store how long they were kept there. To call before, and
      # after a roll-up.
      # @param starts [Hash{Integer => Integer}] length of windows => second before which there are none
      # @return [nil]
      # @raise [StoreError::RollingUp] when longer windows are not filled so far
      def kept_from(starts) = raise(NotImplementedError)

      # Fills the coarser windows; for a call about once a minute.
      # @return [Integer] spans written; 0 while another collector does this or prunes
      def rollup(now_s) = raise(NotImplementedError)

      # Deletes windows that are too old, then those above the size limit; for a call after rollup.
      # @param max_bytes [Numeric, nil] nil: what suits the database
      # @return [Integer] windows deleted; 0 while another collector does this or rolls up
      def prune(now_s, max_bytes: nil) = raise(NotImplementedError)

      # Migrates to the newest schema; opening a store in a file to write does it too.
      # @return [nil]
      def migrate! = raise(NotImplementedError)
    end
  end
end
