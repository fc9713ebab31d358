# frozen_string_literal: true

module Holdup
  module Store
    # The queries that every store answers: this file is their contract, and a store writes only how. Times
    # are seconds since 1970, and a span is from `from_s` to `to_s`, the first second after it. Each method
    # raises a StoreError where the store can't answer. One object belongs to one thread at a time, does not
    # survive a fork, and opens nothing before the first call.
    #
    # Which windows a query means is said by the same options everywhere:
    #
    # - `seconds`: Integer, the longest window wanted; nil for the longest that fit the span
    # - `hosts`: Array<String>; nil for all
    # - `filter`: `kinds` (Array<Symbol>), `names` and `queues` (globs: String or Array<String>), `only`
    #   (responds to series?, a further condition); nil for all
    # - `histograms`: Array<Symbol>, those to read. The others are a Histogram::CountAndSum
    module Reader
      # One state of the store for all that the block reads, with fewer queries. An error of the database
      # leaves the block as it is, and this method as a StoreError. Where a server ended the read for a reason
      # that passes, the block runs again: it only computes its value.
      # @return [Object] the block's value
      def snapshot = raise(NotImplementedError)

      # @return [Boolean] whether it shows a part of its data only, see Queries::Origin
      def part? = false

      # @return [Enumerator<Window>] each second once, from the coarsest windows that fit, in one consistent
      #   state. Iterate it to the end
      # @raise [StoreError] when iterated
      def windows(from_s, to_s, seconds: nil, hosts: nil, histograms: Window::HISTOGRAMS, **filter)
        raise(NotImplementedError)
      end

      # Adds up the windows.
      # @param step_s [Integer, nil] windows that start in different steps stay apart; nil: all are added up
      # @param seconds [Integer, nil] longest window wanted, at most a step
      # @param settings [Array<Setting>, nil] nil for all
      # @param together [Series, nil] series that names the sum of all series; nil: each stays apart
      # @param apart [Symbol, nil] of the series that are summed together, :name or :queue: those that differ
      #   in it stay apart, and their sum has it
      # @param by_host [Boolean] whether hosts stay apart
      # @param heads [Array<Symbol>] histograms that are a Histogram::CountAndSum; those that neither
      #   `histograms` nor this names are empty
      # @param numbers [Array<Symbol>] those of Window::SUMS that are added up; the others are 0. A database
      #   takes longer to add up numbers than to find the rows
      # @return [Array<SpanSum>] one for each step, series and setting, and perhaps host
      def sums(from_s, to_s, step_s: nil, seconds: step_s, settings: nil, together: nil, apart: nil,
        by_host: false, hosts: nil, histograms: Window::HISTOGRAMS, heads: [], numbers: Window::SUMS,
        **filter)
        raise(NotImplementedError)
      end

      # One number, step by step, for charts of many steps. It is what `sums` of series that are summed
      # together gives, without a window for each step.
      # @param of [Array<Symbol>] some of Window::SUMS, and histograms whose sum is meant; they are added up
      # @param apart [Symbol, nil] see `sums`
      # @return [Hash{Array(String, Setting) => Hash{Integer => Integer}}] the number by start of the step, of
      #   each name (nil unless `apart`) and setting
      def step_sums(from_s, to_s, step_s:, of:, apart: nil, hosts: nil, **filter)
        SpanSum.by_step(of, step_s:, apart:) do |options|
          sums(from_s, to_s, hosts:, **options, **filter)
        end
      end

      # @return [Array<(Integer, Setting)>] start of the first window of each setting in each step
      def setting_starts(from_s, to_s, step_s:, hosts: nil, **filter) = raise(NotImplementedError)

      # @return [Array<Tier>] lengths of windows and how long each is kept, finest first
      def tiers = raise(NotImplementedError)

      # @return [Integer] length in seconds of the shortest windows that are kept from that second on
      def finest_s(from_s) = Tier.finest_s(tiers, from_s)

      # @param every_s [Integer, nil] reads only the last sample of each process in each step of so many
      #   seconds, because there are 1,440 a day and process
      # @param ends [Boolean] with `every_s`, whether it reads the first one of each step too
      # @return [Array<Hash>] samples of processes as they were committed, by time
      def processes(from_s, to_s, every_s: nil, ends: false, hosts: nil) = raise(NotImplementedError)

      # @param setting [Setting, nil] nil for all
      # @param most [Integer] reads at most so many of each ten minutes, host and setting: of what is kept of
      #   them, each is as likely
      # @return [Enumerator<UnitSample>] single units (see UnitSample#weight) that started in the span, by
      #   time, in one consistent state
      # @raise [StoreError] when iterated
      def unit_samples(from_s, to_s, setting: nil, most: SampleBlock::MOST) = raise(NotImplementedError)

      # @return [Array<Integer>] starts of the ten-minute blocks in the span that have unit samples, ascending
      def unit_sample_starts(from_s, to_s) = raise(NotImplementedError)

      # @param starts [Array<Integer>] of ten-minute blocks
      # @return [Hash{Integer => Array<SampleBlock::UnitSpans>}] by start, of the blocks that have unit
      #   samples; in any order, one or more of each setting and host
      def unit_spans(starts) = raise(NotImplementedError)

      # @param most [Integer] how many
      # @param settings [Array<Setting>, nil] nil for all
      # @return [Array<SlowUnit>] the slowest requests and jobs that ended in the minutes of the span, slowest
      #   first. Of each series and minute the ten slowest are kept, for SlowestBlock::KEEP_S
      def slowest_units(from_s, to_s, most:, settings: nil, hosts: nil, **filter)
        raise(NotImplementedError)
      end

      # @return [Integer, nil] start of the first minute of which the slowest requests and jobs are kept; nil
      #   without any
      def slowest_from_s = raise(NotImplementedError)

      # @return [Array<SlowestBlock>] what is kept of the minutes of the span; one or more of each series,
      #   setting and host
      def slowest_blocks(from_s, to_s) = raise(NotImplementedError)

      # @return [Array<RecentFigures>] of the rounds in the span, by time: of each host at most the last
      #   RecentFigures::SLOTS
      def recent_figures(from_s, to_s, hosts: nil) = raise(NotImplementedError)

      # @return [Array<ArrivalBlock>] when units came in the minutes of the span, by time; kept for
      #   ArrivalBlock::KEEP_S. Older recordings have none
      def arrivals(from_s, to_s) = raise(NotImplementedError)

      # @return [Array<Setting>] every setting ever seen, oldest first
      def settings = raise(NotImplementedError)

      # @return [Array<String>] every host ever seen, by name
      def hosts = raise(NotImplementedError)

      # @return [Hash{Series => String}] the last path of each series that has one
      def paths = raise(NotImplementedError)

      # @return [Array<PredictionOutcome>] of the last 400 days, oldest first
      def outcomes = raise(NotImplementedError)

      # @return [KeptAnswer, nil]
      def answer(question) = raise(NotImplementedError)

      # @return [Array<SkippedRow>] of the last 14 days, the latest first
      def skipped_rows = raise(NotImplementedError)

      # @return [Array<CollectorCheckpoint>] one for each host and folder, the latest first
      def collector_checkpoints = raise(NotImplementedError)

      # @param events [Array<Symbol>, nil] some of AuditEntry::EVENTS; nil: all, most of which are turns
      # @return [Array<AuditEntry>] changes of settings while processes ran, by time
      def audit_entries(from_s, to_s, events: nil) = raise(NotImplementedError)

      # @return [Array<Autopsy>] of processes that died in the span, by time
      def deaths(from_s, to_s) = raise(NotImplementedError)

      # @return [Array<Notice>] what somebody was told in the span, by time
      def notices(from_s, to_s) = raise(NotImplementedError)

      # @param host [String, nil] first word of the wanted names, and only when no commit for it is
      #   unfinished: a killed collector's may still arrive. To call before a commit
      # @return [Hash{String => String}] segment => checkpoint, binary
      def checkpoints(host: nil) = raise(NotImplementedError)

      # @return [Array<Integer>] starts of the first and the last window, empty without any
      def extent = raise(NotImplementedError)

      # @return [Hash{Symbol => Object}] location, schema, bytes, read_only, series (how many), oldest_s,
      #   newest_s
      # @raise [StoreError] that a write or read would raise
      def health = raise(NotImplementedError)

      # @return [Integer, nil] the time by the clock of its server; nil: a file has none
      def clock_s = raise(NotImplementedError)

      # Ends its connections; the next call makes others.
      def close = raise(NotImplementedError)
    end
  end
end
