# frozen_string_literal: true

module Holdup
  module Analysis
    # Which requests or jobs make the memory of their processes grow. In each step of the recording the
    # processes of a host grew by so much, and so many requests and jobs of each name ran: a linear regression
    # of the growth on these counts (ordinary least squares, with a constant for what grows anyway).
    #
    # Only steps in which all processes of the host are known and past their warm-up count. Names whose
    # counts rise and fall together have large errors, and neither is named.
    class HeapGrowth
      # Fewer steps say nothing.
      FEWEST = 30
      # Names with a coefficient of their own; the others share one.
      NAMES = 10
      # A process that is younger grows while it loads code and fills caches.
      YOUNG_S = 900
      # Standard errors by which a coefficient is above zero: of ten names and much noise, none by chance.
      CERTAIN = 4
      # Standard errors on each side of a 95 % interval, with as many steps as there are at least.
      INTERVAL = 2.1
      OTHERS = "(others)"

      # @param windows [Enumerable<Holdup::Window>] of requests and jobs
      # @return [Array<String>] names that get a coefficient of their own
      def self.most_frequent(windows)
        totals = Hash.new(0)
        windows.each { |window| totals[window.series.name] += window.count }
        totals.except(OTHERS).max_by(NAMES) { |_, count| count }.map(&:first)
      end

      # Counts and samples, as below, of all hosts, or of some, each of which stands for `each_host`.
      HeapCounts = Data.define(:windows, :samples, :each_host)
      NO_COUNTS = HeapCounts.new(windows: [].freeze, samples: [].freeze, each_host: 1)

      # - `each_bytes`: growth with each request or job, `error_bytes`: its standard error, and `each_within`:
      #   its 95 % interval
      # - `bytes`: with all of them together; `grown_bytes`: of all processes in the steps that count
      GrowingName = Data.define(:name, :each_bytes, :error_bytes, :bytes, :grown_bytes) do
        def share = bytes.fdiv([grown_bytes, 1].max)

        def each_within = [-1, 1].map { |sign| each_bytes + sign * HeapGrowth::INTERVAL * error_bytes }
      end

      # @param samples [Array<Hash{Symbol => Object}>] of the processes (Store#processes)
      # @param windows [Enumerable<Holdup::Window>] counts of requests and jobs by host, in steps; those that
      #   are not the most frequent may come together, as OTHERS
      # @param each_host [Numeric] hosts for which each host of the windows stands
      def initialize(samples, windows, each_host: 1)
        processes = samples.reject { |sample| ProcessReport::SampleTrail.container?(sample) }
        @trails = ProcessReport::SampleTrail.all(processes.sort_by { |sample| sample[:at_s] })
        @windows = windows
        @each_host = each_host
      end

      # @return [Array<GrowingName>] those that are certain, the largest growth first
      def names
        return [] if steps.size < FEWEST
        columns = [*named, OTHERS]
        rows = steps.map { |step| [*columns.map { |name| step.counts.fetch(name, 0) }, 1] }
        fit = LeastSquares.call(rows, steps.map(&:grown_bytes)) or return []
        coefficients, errors = fit
        found = named.zip(coefficients, errors).filter_map { |name, each, error| growing(name, each, error) }
        found.sort_by { |one| [-one.bytes, one.name] }
      end

      private

      # What the processes of one host grew by in a step; `counts`: by name.
      GrowthStep = Data.define(:grown_bytes, :counts)
      private_constant :GrowthStep

      def growing(name, each_bytes, error_bytes)
        return unless each_bytes.positive? && each_bytes > CERTAIN * error_bytes
        bytes = each_bytes * steps.sum { |step| step.counts.fetch(name, 0) } * @each_host
        grown_bytes = steps.sum(&:grown_bytes) * @each_host
        GrowingName.new(name:, each_bytes:, error_bytes:, bytes:, grown_bytes:)
      end

      def named
        @named ||= HeapGrowth.most_frequent(@windows)
      end

      def steps
        @steps ||= @windows.group_by { |window| [window.host, window.start_s, window.end_s] }
          .filter_map { |(host, from_s, to_s), same| step(host, from_s, to_s, same) }
      end

      def step(host, from_s, to_s, windows)
        there = trails.fetch(host, []).select { |trail| trail.first_s < to_s && trail.last_s > from_s }
        return if there.empty? || there.any? { |trail| young?(trail, from_s) }
        sizes = there.map { |trail| [from_s, to_s].map { |second| trail.at(:rss_bytes, second) } }
        return unless sizes.flatten.all?
        counts = Hash.new(0)
        windows.each do |window|
          name = window.series.name
          counts[named.include?(name) ? name : OTHERS] += window.count
        end
        GrowthStep.new(grown_bytes: sizes.sum { |before, after| after - before }, counts:)
      end

      def young?(trail, second)
        second < (trail[:since_s] || trail.first_s) + YOUNG_S
      end

      def trails = @by_host ||= @trails.group_by { |trail| trail[:host] }
    end

    # Ordinary least squares by the normal equations, with standard errors.
    module HeapGrowth::LeastSquares
      # A pivot below this belongs to a column that the others explain.
      SINGULAR = 1e-9

      module_function

      # @param rows [Array<Array<Numeric>>] of the same length
      # @param values [Array<Numeric>]
      # @return [Array(Array<Float>, Array<Float>), nil] coefficients and standard errors, 0 and infinity for
      #   a column of zeros; nil where columns are linearly dependent
      def call(rows, values)
        scales = rows.transpose.map { |column| Math.sqrt(column.sum { |value| value.to_f**2 }) }
        used = scales.each_index.select { |index| scales[index].positive? }
        columns = used.map { |index| rows.map { |row| row[index] / scales[index] } }
        inverse = inverse(columns.map { |one| columns.map { |other| dot(one, other) } })
        return unless inverse && rows.size > used.size
        moments = columns.map { |column| dot(column, values) }
        solved = inverse.map { |row| dot(row, moments) }
        variance = residuals(columns, solved, values).sum { |rest| rest**2 } / (rows.size - used.size)
        deviations = inverse.each_index.map { |index| Math.sqrt([variance * inverse[index][index], 0.0].max) }
        spread(used, scales, solved, deviations)
      end

      def dot(one, other) = one.zip(other).sum { |a, b| a * b }

      def residuals(columns, solved, values)
        values.each_index.map do |row|
          values[row] - columns.each_index.sum { |column| columns[column][row] * solved[column] }
        end
      end

      def spread(used, scales, solved, deviations)
        coefficients = Array.new(scales.size, 0.0)
        errors = Array.new(scales.size, Float::INFINITY)
        used.each_with_index do |column, index|
          coefficients[column] = solved[index] / scales[column]
          errors[column] = deviations[index] / scales[column]
        end
        [coefficients, errors]
      end

      # The method is that of Gauss and Jordan; the diagonal is 1, so a small pivot means a column that the
      # others explain.
      def inverse(matrix)
        size = matrix.size
        rows = matrix.each_with_index.map do |row, index|
          unit = Array.new(size, 0.0)
          unit[index] = 1.0
          row + unit
        end
        solved = size.times.all? { |column| eliminate(rows, column) }
        rows.map { |row| row.last(size) } if solved
      end

      # @return [Boolean] whether the column has a pivot
      def eliminate(rows, column)
        pivot = (column...rows.size).max_by { |row| rows[row][column].abs }
        return false if rows[pivot][column].abs < SINGULAR
        rows[column], rows[pivot] = rows[pivot], rows[column]
        divisor = rows[column][column]
        rows[column] = rows[column].map { |value| value / divisor }
        rows.each_index do |index|
          factor = rows[index][column]
          next if index == column || factor.zero?
          rows[index] = rows[index].zip(rows[column]).map { |value, other| value - factor * other }
        end
        true
      end
      private_class_method :dot, :residuals, :spread, :inverse, :eliminate
    end
  end
end
