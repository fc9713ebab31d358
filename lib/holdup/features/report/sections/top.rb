# frozen_string_literal: true

module Holdup
  module Report
    module Sections
      # Tables of the few rows that come first, for a screen: one line for each row.
      module Top
        # Columns that the name of a cause may take next to its victim.
        NAME = 24

        # Who caused most of the stall, what kind of holds it is made of, and in which method, where that is
        # known.
        class TopCauseTable < View::SectionBase
          def self.parts(summary)
            blame = summary.blame
            (blame.series.empty? && blame.accounts.empty?) ? [] : MethodTable.parts(summary)
          end

          COLUMNS = %i[by_name screen_of_stall caused hold_met made_of].freeze
          # `share`: of the stall of requests and jobs; `row`: Analysis::SeriesRow, or nil; `place`: the
          # method that causes most of it, or nil
          TopCause = Data.define(:name, :caused_ns, :share, :row, :place)

          # @return [View::Section, nil] nil if no one stalled
          def call
            causes = [*named, handoff].select { |cause| cause.share.positive? }.max_by(limit, &:share)
            return if causes.empty?
            View::Section.new(title: word(:screen_causes), columns: COLUMNS.map { |key| word(key) },
              rows: causes.map { |cause| cells(cause) }, details: causes.map(&:place))
          end

          private

          def blame = summary.blame

          def named
            methods = MethodTable.new(summary, words: @words, limit:)
            largest = (blame.series + blame.accounts).max_by(limit, &:caused_to_units)
            largest.map do |account|
              TopCause.new(name: name(account), caused_ns: account.caused, share: blame.caused_share(account),
                row: row_of(account), place: methods.main_method(account.name))
            end
          end

          def handoff
            TopCause.new(name: word(:handoff), caused_ns: blame.handoff_ns, share: blame.handoff_share,
              row: nil, place: nil)
          end

          def name(account)
            return label(account.name, queue: account.queue) unless account.kind == :account
            word(:account, name: label(account.name.delete_prefix("thread:")))
          end

          # Nil for threads outside of units, and for units that the filter leaves out.
          def row_of(account)
            summary.rows.find do |row|
              [row.name, row.kind, row.queue] == [account.name, account.kind, account.queue]
            end
          end

          def cells(cause)
            row = cause.row
            [cause.name, View::Figures.rounded_share(cause.share), duration(cause.caused_ns),
              duration(row&.met_hold), made_of(row)]
          end

          def made_of(row)
            return View::Figures::NONE unless row&.met_hold
            word((row.met_hold >= Stalls::StallOriginTable::LONG_NS) ? :made_long : :made_short)
          end
        end

        # Which units stalled most, because of whom, and in which calls, where that is known well enough.
        class TopVictimTable < View::SectionBase
          def self.parts(summary)
            (summary.rows.any? { |row| row.stalled_ns.positive? }) ? %i[pairs calls] : []
          end

          COLUMNS = %i[by_name screen_each screen_of_its_time].freeze

          # @return [View::Section, nil] nil if no unit stalled
          def call
            rows = summary.rows.select { |row| row.stalled_ns.positive? }.max_by(limit, &:stalled_ns)
            return if rows.empty?
            columns = COLUMNS.map { |key| word(key) }
            cells = rows.map { |row| cells(row) }
            causes = rows.map { |row| because(row) }
            if causes.any?
              columns << word(:screen_because)
              cells.zip(causes) { |line, cause| line << (cause || View::Figures::NONE) }
            end
            calls = CallTable.new(summary, words: @words, limit:)
            details = rows.map { |row| calls.main_call(row) }
            View::Section.new(title: word(:screen_victims), columns:, rows: cells, details:)
          end

          private

          def cells(row)
            [row_label(row), each_unit(row, row.stalled_ns),
              View::Figures.rounded_share(row.split.share(:stalled))]
          end

          def because(row)
            pair = summary.pairs.find { |one| one.victim.name == row.name && one.named? } or return
            name = (pair.causer == pair.victim) ? word(:screen_itself) : causer(pair.causer)
            "#{View::Width.truncate(name, NAME)} #{View::Figures.rounded_share(pair.share)}"
          end

          def causer(series)
            label(series.name.delete_prefix(Series::THREAD))
          end
        end

        # Whose units spent most time in one state.
        class TopStateTable < View::SectionBase
          # @param state [Symbol] a member of Analysis::SeriesRow::StateSplit
          def initialize(summary, state:, **options)
            super(summary, **options)
            @state = state
          end

          # @return [View::Section, nil]
          def call
            rows = summary.rows.select { |row| time(row).positive? }.max_by(limit) { |row| time(row) }
            return if rows.empty?
            View::Section.new(title: word(:screen_state, state: word(:"state_#{@state}")),
              columns: %i[by_name screen_each screen_of_its_time screen_of_all].map { |key| word(key) },
              rows: rows.map { |row| cells(row) })
          end

          private

          def time(row) = row.split.public_send(@state)

          def cells(row)
            [row_label(row), each_unit(row, time(row)), View::Figures.rounded_share(row.split.share(@state)),
              View::Figures.rounded_share(time(row).fdiv(time(summary.total)))]
          end
        end

        # Load, time and stall of each host, queue, setting ...: what the report is asked for by.
        class TopRowTable < View::SectionBase
          PARTS = [:coverage].freeze

          COLUMNS = %i[screen_wall_p95 screen_queued_p95 screen_stalled_each screen_of_its_time].freeze

          def call
            View::Section.new(title: word(:screen_rows),
              columns: [title_of_names, word(:units), "/s", *COLUMNS.map { |key| word(key) }],
              rows: shown.map { |row| cells(row) }, notes: more)
          end

          private

          def cells(row)
            [row_label(row), View::Figures.short_count(row.count), View::Figures.rate(summary.row_rate(row)),
              *%i[wall queued].map { |key| duration(row.histogram(key).quantile(0.95)) },
              each_unit(row, row.stalled_ns), View::Figures.rounded_share(row.split.share(:stalled))]
          end
        end
      end
    end
  end
end
