# frozen_string_literal: true

module Holdup
  module Store
    class Clickhouse
      # Windows as rows and back. A histogram is five numbers and a map from bucket to count, which the server
      # adds up (`sumMap`). Without values its minimum is HIGHEST, so that the minimum of several is right.
      module WindowColumns
        HIGHEST = (1 << 63) - 1
        NUMBERS = Schema::NUMBERS
        COUNTS = %i[count errors].freeze
        # Columns of a histogram with the function that adds them up.
        PARTS = {count: "sum", sum: "sum", min: "min", max: "max", zero: "sum"}.freeze
        # The order is that of SUMS.
        ALL = [*NUMBERS, *Window::HISTOGRAMS.flat_map { |name|
          [*PARTS.keys.map { |part| "#{name}_#{part}" }, "`#{name}.slot`", "`#{name}.n`"]
        }].join(", ").freeze
        SUMS = [*NUMBERS.map { |name| "sum(#{name})" }, *Window::HISTOGRAMS.flat_map { |name|
          map = "sumMap(#{name}_slot, #{name}_n)"
          [*PARTS.map { |part, function| "#{function}(#{name}_#{part})" },
            "tupleElement(#{map}, 1)", "tupleElement(#{map}, 2)"]
        }].join(", ").freeze
        # Ends a sub-select: of rows that arrived twice, one counts. FINAL would read all parts at once, each
        # with a buffer for each column.
        ONCE = "LIMIT 1 BY start_s, seconds, series, setting, host"
        # Ends a sub-select of sums over hosts in the same way.
        SUM_ONCE = "LIMIT 1 BY start_s, seconds, series, setting, step"
        # A number for each window, of which there may be several rows.
        WINDOW = "cityHash64(at_s, series, setting, host)"
        # How many a histogram has in `sums`.
        FULL = PARTS.size + 1
        HEAD = 2

        module_function

        # @param window [Window]
        # @return [Hash{Symbol, String => Object}] a row of `minutes`, without its commit
        def row(window)
          numbers = {count: window.count, errors: window.errors, **window.sums}
          window.histograms.reduce(numbers) { |row, (name, one)| row.merge!(histogram_row(name, one)) }
        end

        # Start of the window of that length that a row belongs to.
        def at(seconds) = "intDiv(start_s, #{seconds}) * #{seconds}"

        # Columns of a table of windows, for a sub-select.
        # @param origin [String] where they come from
        def plain(seconds, histograms = Window::HISTOGRAMS, origin: "host")
          maps = histograms.flat_map do |name|
            ["#{name}_min", "#{name}_max", "#{name}_zero", "`#{name}.slot` AS #{name}_slot",
              "`#{name}.n` AS #{name}_n"]
          end
          heads = Window::HISTOGRAMS.flat_map { |name| ["#{name}_count", "#{name}_sum"] }
          ["#{at(seconds)} AS at_s", "series", "setting", origin, *NUMBERS, *heads, *maps].join(", ")
        end

        # Sums of such a sub-select; of histograms that are not wanted only their heads.
        # @param numbers [Array<Symbol>] of Window::SUMS
        def sums(histograms, numbers = Window::SUMS)
          parts = Window::HISTOGRAMS.flat_map do |name|
            next ["sum(#{name}_count)", "sum(#{name}_sum)"] unless histograms.include?(name)
            plain = PARTS.map { |part, function| "#{function}(#{name}_#{part})" }
            [*plain, "sumMap(#{name}_slot, #{name}_n)"]
          end
          [*[*COUNTS, *numbers].map { |name| "sum(#{name})" }, *parts].join(", ")
        end

        # @param row [Array] columns of `sums`
        # @return [Hash{Symbol => Object}] count, errors, sums and histograms of a window
        def totals(row, histograms, numbers = Window::SUMS)
          found = [*COUNTS, *numbers].zip(row).to_h.transform_values(&:to_i)
          counts = found.slice(*COUNTS)
          rest = row.drop(found.size)
          read = Window::HISTOGRAMS.to_h do |name|
            full = histograms.include?(name)
            columns = rest.shift(full ? FULL : HEAD)
            [name, full ? histogram(columns) : head(columns)]
          end
          {**counts, sums: Window::SUMS.to_h { |name| [name, found.fetch(name, 0)] }, histograms: read}
        end

        def histogram_row(name, histogram)
          slots = histogram.counts.each_index.reject { |index| histogram.counts[index].zero? }
          {"#{name}_count": histogram.count, "#{name}_sum": histogram.sum,
           "#{name}_min": histogram.min || HIGHEST, "#{name}_max": histogram.max || 0,
           "#{name}_zero": histogram.zero, "#{name}.slot": slots.map { |index| histogram.offset + index },
           "#{name}.n": histogram.counts.values_at(*slots)}
        end

        def head((count, sum)) = Histogram::CountAndSum.new(count: count.to_i, sum: sum.to_i)

        def histogram((count, sum, min, max, zero, map))
          slots, numbers = map
          offset = slots.first || 0
          counts = Array.new(slots.empty? ? 0 : slots.last - offset + 1, 0)
          slots.each_with_index { |slot, index| counts[slot - offset] = numbers[index].to_i }
          Histogram.new(count: count.to_i, sum: sum.to_i, min: min.to_i, max: max.to_i, zero: zero.to_i,
            offset:, counts: counts.freeze)
        end
        private_class_method :histogram_row, :head, :histogram
      end
    end
  end
end
