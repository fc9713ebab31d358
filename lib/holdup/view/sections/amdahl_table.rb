# frozen_string_literal: true

module Holdup
  module View
    module Sections
      # Amdahl's table for the io share, with the reason why not to size by it.
      class AmdahlTable < SectionBase
        # @param share [Float, nil] of io, of all these units
        def initialize(summary, share: summary.total.idle_share, **options)
          super(summary, **options)
          @share = share
        end

        # @return [Section, nil] nil when there is no share to compute with
        def call
          @share && Section.new(title: word(:amdahl, share: Figures.share(@share)), columns: columns(lines(@share)),
            rows: rows(lines(@share)), notes: [word(:amdahl_note, threads: Analysis::Amdahl.suggestion(@share))])
        end

        private

        def lines(share) = Analysis::Amdahl.table(share)

        def columns(lines)
          [word(:threads), *lines.map { |line| line.threads.to_s }]
        end

        def rows(lines)
          [[word(:speed_up), *lines.map { |line| format("%.2fx", line.speed_up) }],
            [word(:gain), *lines.map { |line| format("%+.0f%%", line.gain * 100) }]]
        end
      end
    end
  end
end
