# frozen_string_literal: true

module Holdup
  module View
    module Sections
      # Who stalled and who caused it, side by side, over the whole process: units, threads outside units,
      # hand-off. Both columns end in the same total, so that nothing is blamed on nobody.
      class BlameTable < SectionBase
        ACCOUNTS = 6

        # @return [Section]
        def call
          Section.new(title: word(:causes), columns:, rows: unit_rows + account_rows + nested_rows + [handoff_row],
            total: total_row, notes: [word(:causes_note)])
        end

        private

        def blame = summary.blame

        def columns
          [word(:by_name), word(:caused), "%", word(:suffered), "%", word(:stall_per_unit),
            word(:stall_per_acquisition)]
        end

        def unit_rows
          rows(blame.series, limit, :more_units) { |line| label(line.name, queue: line.queue) }
        end

        def account_rows
          rows(blame.accounts, ACCOUNTS, :more_threads) { |line| account_label(line.name) }
        end

        def rows(lines, most, rest)
          kept = lines.first(most).map { |line| cells(yield(line), line) }
          left = lines.drop(most)
          left.empty? ? kept : kept << rest_row(word(rest, count: Figures.count(left.size)), left)
        end

        def account_label(name)
          word(:account, name: label(name.delete_prefix("thread:")))
        end

        def cells(name, line)
          [name, *shares(line.caused, line.suffered), duration(line.stall_per_unit),
            duration(line.stall_per_acquisition)]
        end

        def rest_row(name, lines)
          [name, *shares(lines.sum(&:caused), lines.sum(&:suffered)), "", ""]
        end

        def nested_rows
          nested = blame.nested
          nested ? [[word(:nested), *shares(nested.caused, nested.suffered), "", ""]] : []
        end

        def handoff_row
          [word(:handoff), duration(blame.handoff_ns), bare(blame.handoff_share), "", "", "", ""]
        end

        def total_row
          [word(:all), *shares(blame.caused_ns + blame.handoff_ns, blame.suffered_ns), "", ""]
        end

        def shares(caused, suffered)
          [duration(caused), bare(portion(caused)), duration(suffered), bare(portion(suffered))]
        end

        def portion(value)
          blame.suffered_ns.zero? ? 0.0 : value.fdiv(blame.suffered_ns)
        end

        def bare(share) = Figures.bare_share(share)
      end
    end
  end
end
