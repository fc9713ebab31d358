# frozen_string_literal: true

module Holdup
  module Doctor
    # The doctor's page: what is measured, what is missing, and how much the store has. It works without a
    # store, because that is when it is needed.
    class Page < View::PageBase
      SEGMENT_COLUMNS = %i[process server segment_alive segment_last segment_requests segment_drops].freeze
      # Counters of data that was lost or incomplete.
      DROPS = %i[discarded overflowed grow_failures guard_failures].freeze

      def blocks
        [report.lead, report.checks, *stored, *own_cost, segments].compact
      end

      def span? = false

      private

      def json
        Report::Json.new(found, processes: host.segments, words: @words).call
      end

      def host
        @host ||= Doctor::Reader.new(dir: @context.dir, clock: @context.clock,
          segments: Doctor::SegmentReader, open_store: @context.store).call
      end

      def found = @found ||= Checks.call(host)

      def report = @report ||= Report.new(found, words: @words)

      def stored
        return [] unless host.store
        facts = host.store
        pairs = {location: facts[:location], bytes: View::Figures.bytes(facts[:bytes]),
                 series: View::Figures.count(facts[:series]), schema: facts[:schema].to_s,
                 oldest_s: time(oldest_s), newest_s: time(facts[:newest_s]),
                 lag: lag(facts[:newest_s])}
        [View::Blocks::Facts.new(title: word(:store_title),
          pairs: pairs.to_h { |key, cell|
            [word(:"store_#{key}"),
              cell.is_a?(String) ? View::Width.clean(cell) : cell]
          })]
      end

      # The oldest window may be a day long.
      def oldest_s
        oldest_s, newest_s = host.store.values_at(:oldest_s, :newest_s)
        return unless oldest_s
        interval = Queries::RecordedInterval.call(store, from_s: oldest_s, to_s: newest_s + 1)
        interval&.from_s || oldest_s
      end

      def own_cost
        return [] unless host.store
        to_s = @context.clock.realtime_s
        CollectorCost.new(Queries::LoadSummary.own_cost(store, from_s: to_s - HOUR_S, to_s:),
          words: @words).blocks
      end

      # Measured from the start of the newest minute: a working collector is behind by little more than one.
      def lag(newest_s)
        newest_s ? View::Figures.duration([host.now_ns - newest_s * NS, 0].max) : View::Figures::NONE
      end

      def segments
        return if host.segments.empty?
        columns = SEGMENT_COLUMNS.map { |key| word(key) }
        View::Section.new(title: word(:segments_title), columns:,
          rows: host.segments.map { |process| row(process) }, notes: [word(:segments_note)])
      end

      def row(process)
        ["pid #{process.pid}", View::Width.clean(process.profile["server"] || View::Figures::NONE),
          word(process.alive ? :yes : :no),
          View::Figures.duration([host.now_ns - process.heartbeat_ns, 0].max),
          View::Figures.count(process.requests),
          View::Figures.count(process.counters.values_at(*DROPS).compact.sum)]
      end

      def time(second)
        second ? View::Blocks::Moment.new(at_s: second, seconds: true) : View::Figures::NONE
      end

      # Holdup's own cost, as blocks of a page.
      class CollectorCost
        FIGURES = {held_share: :share, caused_ns: :duration, collector_cpu_share: :share,
                   collector_bytes: :bytes, segment_bytes: :bytes}.freeze

        def initialize(cost, words:)
          @cost = cost
          @words = words
        end

        # @return [Array<Object>] empty if nothing is known
        def blocks
          return [] unless @cost.known?
          pairs = FIGURES.to_h { |key, tell|
            [@words.call(:"own_#{key}"),
              View::Figures.public_send(tell, @cost.public_send(key))]
          }
          [View::Blocks::Facts.new(title: @words.call(:own_title), pairs:),
            View::Blocks::Notes.new(texts: [@words.call(:own_note)])]
        end
      end
    end
  end
end
