# frozen_string_literal: true

module Holdup
  module Report
    module Sections
      # The slowest requests and jobs one by one, and why each was slow.
      class SlowestTable < View::SectionBase
        COLUMNS = %i[by_name started histogram_wall histogram_running histogram_stalled histogram_idle
          histogram_queued process].freeze
        TIMES = %i[wall_ns running_ns stalled_ns idle_ns queued_ns].freeze
        PARTS = %i[slowest].freeze

        # @return [View::Section, nil] nil where none is kept
        def call
          return if shown.empty?
          View::Section.new(title: word(:slowest_units), columns: columns.map { |key| word(key) },
            rows: shown.map { |explained| row(explained.slow) }, notes: [*chains, note])
        end

        private

        def shown
          summary.slowest ? summary.slowest.units.first(limit) : []
        end

        def columns = [*COLUMNS, *(:slow_id if ids?)]

        # What older versions of Holdup kept has none.
        def ids? = shown.any? { |explained| explained.slow.id }

        def chains
          sentence = ChainSentence.new(@words)
          shown.filter_map { |explained| sentence.line(explained) }
        end

        def note
          return word(:singles_kept_table) if summary.slowest.whole
          word(:singles_kept_table_from, from: View::Figures::Moments.at(summary.slowest.from_s))
        end

        def row(slow)
          unit = slow.unit
          host = View::Width.clean(unit.host)
          process = word(:process_of_host, host:, process: "pid #{unit.process.pid}")
          [label(unit.series.name, queue: unit.series.queue),
            View::Blocks::Moment.new(at_s: unit.start_ns / NS, seconds: true),
            *TIMES.map { |key| duration(unit.public_send(key)) }, process, *(id(slow) if ids?)]
        end

        def id(slow) = slow.id ? View::Width.clean(slow.id) : View::Figures::NONE
      end
    end
  end
end
