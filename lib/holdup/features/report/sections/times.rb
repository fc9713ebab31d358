# frozen_string_literal: true

module Holdup
  module Report
    module Sections
      module Times
        # Where the time of each row went, in per cent of its elapsed time and as a bar.
        class StateSplitTable < View::SectionBase
          def call
            states = View::Drawing::Bar::SYMBOLS.keys.map { |state| word(:"state_#{state}") }
            figures_section(:splits, ["", *states]) { |row| cells(row.split) }
          end

          private

          def cells(split)
            shares = split.members.to_h { |state| [state, split.share(state)] }
            bar = View::Blocks::Bar.new(parts: shares,
              label: View::Drawing::Bar.fill(shares, View::Layout::Table::BAR))
            [bar, *shares.values.map { |share| View::Figures.bare_share(share) }]
          end
        end

        class LatencyTable < View::SectionBase
          PARTS = [:coverage, *View::MainWait::PARTS].freeze

          def call
            columns = [word(:units), "/s", "p50", "p90", "p95", "p99", word(:errors)]
            section = figures_section(:latency, columns) { |row| cells(row) }
            section.with(details: shown.map { |row| waits.remark(row) })
          end

          private

          def waits = @waits ||= View::MainWait.new(summary, words: @words)

          def cells(row)
            wall = [0.5, 0.9, 0.95, 0.99].map { |q| duration(row.histogram(:wall).quantile(q)) }
            [View::Figures.short_count(row.count), View::Figures.rate(summary.row_rate(row)), *wall,
              View::Figures.short_count(row.errors)]
          end
        end

        # Mean times per unit, and the idle shares known as "io %".
        class AverageTable < View::SectionBase
          def call
            columns = %i[average_wall average_running average_idle average_stalled average_gc io_percent
              io_stall_percent]
            figures_section(:averages, columns.map { |key| word(key) }, notes: [word(:averages_note)]) { |row|
              cells(row)
            }
          end

          private

          def cells(row)
            times = %i[wall running idle stalled].map { |key| each_unit(row, row.histogram(key).sum) }
            [*times, each_unit(row, row.sum(:gc_ns)), View::Figures.bare_share(row.idle_share),
              View::Figures.bare_share(row.idle_and_stall_share)]
          end
        end

        # All units together: mean, percentiles and maximum of everything that has a histogram.
        class DistributionTable < View::SectionBase
          QUANTILES = [0.5, 0.9, 0.95, 0.99].freeze
          SHOWN = %i[wall running stalled idle queued longest_hold].freeze

          def call
            View::Section.new(title: word(:distributions),
              columns: [word(:per_unit), word(:mean), "p50", "p90", "p95", "p99", word(:max)],
              rows: SHOWN.map { |key| [word(:"histogram_#{key}"), *figures(summary.total.histogram(key))] },
              notes: unmeasured)
          end

          private

          def figures(histogram)
            [histogram.mean, *QUANTILES.map { |q| histogram.quantile(q) }, histogram.max].map { |value|
              duration(value)
            }
          end

          def unmeasured
            summary.total.histogram(:queued).count.zero? ? [word(:queued_unknown)] : []
          end
        end

        # The group means p0-10 .. p99.9-100, of all units or of one row.
        class QuantileBandTable < View::SectionBase
          SHOWN = %i[wall running idle stalled longest_hold].freeze

          # @return [View::Section] for all chosen units
          def call
            of(summary.total, word(:slices), notes: [word(:slices_note)])
          end

          # @return [Array<View::Section>] one per row
          def details
            shown.map { |row| of(row, word(:slices_of, name: row_label(row))) }
          end

          private

          def of(row, title, notes: [])
            View::Section.new(title:,
              columns: [word(:band), word(:units), *SHOWN.map { |key| word(:"histogram_#{key}") }],
              rows: Analysis::HistogramBands::QuantileBands::BANDS.map { |name, band|
                [name, *cells(row, band)]
              },
              notes:)
          end

          def cells(row, band)
            means = SHOWN.map { |key|
              duration(Analysis::HistogramBands::QuantileBands.mean(row.histogram(key), *band))
            }
            [View::Figures.count(Analysis::HistogramBands::QuantileBands.size(row.histogram(:wall), *band)),
              *means]
          end
        end

        # Amdahl's table for the io share, with the reason not to size by it.
        class AmdahlTable < View::SectionBase
          # @return [View::Section, nil] nil without any units
          def call = OfShare.new(summary.total.idle_share, words: @words).call

          # The table for any share.
          class OfShare
            # @param share [Float, nil] of io
            def initialize(share, words:)
              @share = share
              @words = words
            end

            # @return [View::Section, nil] nil without a share
            def call
              return unless @share
              View::Section.new(title: word(:amdahl, share: View::Figures.share(@share)),
                columns: [word(:threads), *lines.map { |line| line.threads.to_s }], rows:,
                notes: [word(:amdahl_note, threads: Analysis::Amdahl.suggestion(@share))])
            end

            private

            def word(key, **facts) = @words.call(key, **facts)

            def lines = Analysis::Amdahl.table(@share)

            def rows
              [[word(:speed_up), *lines.map { |line| format("%.2fx", line.speed_up) }],
                [word(:gain), *lines.map { |line| format("%+.0f%%", line.gain * 100) }]]
            end
          end
        end
      end
    end
  end
end
