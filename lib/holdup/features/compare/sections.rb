# frozen_string_literal: true

module Holdup
  module Compare
    class Sections
      LIMIT = 10
      QUANTILES = [0.5, 0.95].freeze
      # A column has no room for more fingerprints.
      FINGERPRINTS = 2
      # Columns of a fact's value on a screen.
      VALUE = 26

      # @param families [Array<Symbol>, nil] of metrics; nil for all
      # @param limit [Integer] endpoints
      def initialize(comparison, words:, families: nil, limit: LIMIT)
        @comparison = comparison
        @words = words
        @families = families
        @limit = limit
        @cells = Report::Cells.new(words)
      end

      def call
        [settings, figures, endpoints, pairs, methods, ages, warm_up].compact
      end

      # @param metrics [Array<Symbol>] names of the figures
      # @param facts [Integer] rows of the settings: facts that differ, or where none does the fingerprints
      # @return [Array<View::Section>] without notes
      def brief(metrics, facts:)
        estimates = shown.select { |estimate| metrics.include?(estimate.metric.name) }
        rows = (settings.rows.size > 1) ? settings.rows.drop(1) : settings.rows
        few = settings.with(rows: rows.first(facts).map { |row| short(row) })
        [few, figures(estimates), endpoints].compact.map { |section| section.with(notes: []) }
      end

      private

      def short(row) = row.map { |cell| View::Width.truncate(cell, VALUE) }

      def word(key, **facts)
        @words.call(:"compare_#{key}", **facts)
      end

      def sides = [@comparison.before, @comparison.after]

      def settings
        facts = @comparison.change.differences.flat_map { |one| one.facts.to_a }
        rows = facts.map { |key, values| [View::Width.clean(key), *values.map { |side| @cells.fact(side) }] }
        View::Section.new(title: word(:settings), columns: [word(:fact), word(:before), word(:after)],
          rows: [fingerprints, *rows])
      end

      def fingerprints
        [word(:fingerprint),
          *sides.map { |side|
            side.settings.first(FINGERPRINTS).map(&:fingerprint).join(", ") +
              ((side.settings.size > FINGERPRINTS) ? " ..." : "")
          }]
      end

      def figures(estimates = shown)
        View::Section.new(title: word(:figures),
          columns: [word(:figure), word(:before), word(:after), word(:difference), "%", word(:interval),
            ""],
          rows: estimates.map { |estimate| row(estimate) }, notes:)
      end

      def shown
        @comparison.estimates.values.select { |estimate|
          estimate.known? && (@families.nil? || @families.include?(estimate.metric.family))
        }
      end

      def row(estimate) = [@cells.name(estimate.metric), *values(estimate)]

      def values(estimate)
        metric = estimate.metric
        [@cells.value(metric, estimate.before), @cells.value(metric, estimate.after),
          @cells.signed(metric, estimate.difference),
          @cells.change(estimate.relative), @cells.interval(estimate), @cells.mark(estimate)]
      end

      def notes
        before, after = @comparison.sizes
        drawn = word(:figures_note, block: @cells.seconds(@comparison.block_s), before:, after:)
        [drawn, small, wait, queued, cpu, memory].compact
      end

      def small
        shown.any?(&:irrelevant?) ? word(:irrelevant_note) : nil
      end

      def known?(name)
        shown.any? { |estimate| estimate.metric.name == name }
      end

      def wait
        word(known?(:wait_p95) ? :wait_note : :wait_unknown) if @families.nil? || @families.include?(:wait)
      end

      # Waits are stall alone if queue times are unknown.
      def queued
        unknown = sides.zip(%i[before after]).reject { |side, _| side.queued? }.map { |_, name| word(name) }
        return if unknown.empty? || @families&.none?(:wait)
        word(:queued_unknown, sides: unknown.join(", "))
      end

      def cpu
        known?(:cpu_share) ? word(:cpu_note) : nil
      end

      def memory
        return unless known?(:pss) || known?(:uss)
        before, after = @comparison.memory.processes
        word(:memory_note, age: @cells.age(@comparison.memory.band), before:, after:)
      end

      def endpoints
        rows = @comparison.contributions.first(@limit)
        return if rows.empty?
        View::Section.new(title: word(:endpoints),
          columns: [word(:endpoint), word(:share), word(:before), word(:after), word(:moved_by),
            word(:interval)],
          rows: rows.map { |one| endpoint(one) }, notes: [word(:endpoints_note)])
      end

      def endpoint(one)
        series = one.series
        range = one.range && @words.range(signed(one.range.begin), signed(one.range.end))
        [View::Width.clean(series.queue ? "#{series.name} [#{series.queue}]" : series.name),
          View::Figures.share(one.shares.first),
          *one.means.map { |ns| View::Figures.duration(ns) }, signed(one.moved_ns),
          range || View::Figures::NONE]
      end

      def pairs
        titles = {title: word(:holders), name: word(:holder), note: word(:holders_note)}
        parts_of_stall(@comparison.pair_changes, **titles) do |change|
          word(:part_of, name: View::Width.clean(change.victim), part: @cells.holder(change))
        end
      end

      def methods
        titles = {title: word(:methods), name: word(:method), note: word(:methods_note)}
        parts_of_stall(@comparison.method_changes, **titles) { |change| method_name(change) }
      end

      # @yieldparam change [MethodChange, PairChange]
      # @yieldreturn [String] its name
      def parts_of_stall(changes, title:, name:, note:)
        return if changes.empty?
        columns = [name, word(:before), word(:after)]
        # A narrow terminal leaves these out, rather than the names.
        difference, interval = %i[difference interval].map do |key|
          View::Blocks::Column.new(text: word(key), optional: true)
        end
        rows = changes.first(@limit).map { |change| [yield(change), *values(change.estimate)] }
        View::Section.new(title:, columns: [*columns, difference, "%", interval, ""], rows:, notes: [note])
      end

      def method_name(change)
        line = change.line
        place = [line.label, line.location].compact.join(" ")
        word(:part_of, name: View::Width.clean(line.name), part: View::Width.clean(place))
      end

      def signed(nanoseconds)
        @cells.signed(@comparison.estimates[:wall_mean].metric, nanoseconds)
      end

      def ages
        rows = @comparison.ages
        return if rows.size < 2
        View::Section.new(title: word(:ages),
          columns: [word(:age), word(:units_before), word(:units_after), "p50", word(:after), "p95",
            word(:after)],
          rows: rows.map { |row| age(row) }, notes: [word(:ages_note)])
      end

      def age(row)
        walls = QUANTILES.flat_map { |share|
          row.walls.map { |wall| View::Figures.duration(wall.quantile(share)) }
        }
        [@cells.age(row.band), *row.units.map { |units| View::Figures.short_count(units) }, *walls]
      end

      def warm_up
        rows = sides.zip(%i[before after]).reject { |side, _| side.cold_units.zero? }.map { |side, name|
          [word(name), *cold(side)]
        }
        return if rows.empty?
        later = %w[p50 p95].map { |quantile| word(:then, quantile:) }
        View::Section.new(title: word(:warm_up),
          columns: [word(:side_of), word(:units), word(:share), "p50", "p95", *later], rows:)
      end

      def cold(side)
        early, later = [side.cold_times, side.times].map { |times| times.fetch(:wall) }
        walls = [early, later].flat_map { |wall|
          QUANTILES.map { |share| View::Figures.duration(wall.quantile(share)) }
        }
        [View::Figures.short_count(early.count),
          View::Figures.share(early.count.fdiv(early.count + later.count)),
          *walls]
      end
    end
  end
end
