# frozen_string_literal: true

module Holdup
  class Web
    module Pages
      # How elapsed times are spread: so many units in each doubling of time.
      class Distribution
        DOUBLING = 1 << Histogram::Buckets::SCALE

        # @param row [Analysis::SeriesRow]
        # @param words [View::Words]
        # @param key [Symbol] of Window::HISTOGRAMS
        def initialize(row, words:, key: :wall)
          @histogram = row.histogram(key)
          @words = words
          @key = key
        end

        # @return [Blocks::Table]
        def block
          columns = [@words.call(:"histogram_#{@key}"), @words.call(:units), "%", ""].map { |text| Blocks::Column.new(text:) }
          Blocks::Table.new(title: @words.call(:spread), columns:,
            rows: counts.map { |name, count| [name, View::Figures.count(count), *share(count)] })
        end

        private

        def share(count)
          share = count.fdiv(@histogram.count)
          [View::Figures.bare_share(share),
            Blocks::Meter.new(share: count.fdiv(counts.values.max), label: View::Figures.share(share))]
        end

        # Empty ones between others are shown: a gap says something.
        def counts
          @counts ||= begin
            found = @histogram.counts.each_with_index.group_by { |_, index| (@histogram.offset + index) / DOUBLING }.transform_values { |same|
              same.sum(&:first)
            }
            steps = found.empty? ? {} : Range.new(*found.keys.minmax).to_h { |step|
              [name(step), found.fetch(step, 0)]
            }
            @histogram.zero.positive? ? {first => @histogram.zero, **steps} : steps
          end
        end

        def first
          "- #{View::Figures.duration(Histogram::Buckets::FLOOR_NS)}"
        end

        def name(step)
          low, high = [step, step + 1].map { |at| View::Figures.duration(Histogram::Buckets::BOUNDS[at * DOUBLING]) }
          "#{low} - #{high}"
        end
      end
    end
  end
end
