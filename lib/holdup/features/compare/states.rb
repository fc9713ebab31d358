# frozen_string_literal: true

module Holdup
  module Compare
    # Several states of one application, each compared with the first: the table that articles about an
    # upgrade or YJIT print, with intervals and with what can't be concluded.
    class States
      PLOTTED = %i[wall_p50 wall_p95 cpu_unit pss].freeze
      BAR = 30
      # Prefix of a change that is not significant.
      UNSURE = "~"

      # @param comparisons [Array<Comparison>] with the same side "before"
      # @param kind [Symbol] of the units
      # @param families [Array<Symbol>, nil] of metrics to show; nil for all
      def initialize(comparisons, words: View::Words.new, kind: :request, families: nil)
        @comparisons = comparisons
        @words = words
        @kind = kind
        @families = families
        @cells = Report::Cells.new(words)
      end

      def page
        lead = View::Blocks::Lead.new(text: @words.sentences(labelled(&:lead)))
        View::Page.new(title: word(:states_title, count: labels.size, units: @words.units(@kind)),
          about: sides.map { |side| fact(side) },
          blocks: [lead, settings, figures, intervals, *plots, limits].compact)
      end

      private

      def word(key, **facts)
        @words.call(:"compare_#{key}", **facts)
      end

      def sides
        @sides ||= [@comparisons.first.before, *@comparisons.map(&:after)]
      end

      def labels
        @labels ||= sides.map { |side| label(side) }
      end

      def label(side) = View::Width.clean(@words.setting_label(side.label))

      def base = labels.first

      def fact(side)
        word(:state, label: label(side), count: View::Figures.count(side.units),
          units: @words.units(@kind, side.units), processes: side.processes,
          seconds: View::Figures.duration(measured_s(side) * NS))
      end

      # The time leaves out the first minutes of processes.
      def measured_s(side)
        side.coverage&.total_s || side.to_s - side.from_s
      end

      # The sentences of each comparison, prefixed with its name.
      def labelled
        sentences.zip(labels.drop(1)).map { |one, label|
          word(:state_against, label:, base:, text: yield(one))
        }
      end

      def sentences
        @sentences ||= @comparisons.map { |comparison| Sentences.new(comparison, words: @words) }
      end

      def settings
        differences = @comparisons.flat_map { |comparison| comparison.change.differences }
        keys = differences.flat_map { |one| one.facts.keys }.uniq
        rows = keys.map { |key|
          [View::Width.clean(key),
            *sides.map { |side| @cells.fact(side.settings.map { |setting| setting[key] }.uniq) }]
        }
        View::Section.new(title: word(:settings), columns: [word(:fact), *labels], rows:) if rows.any?
      end

      def shown
        @shown ||= Comparison::Metric::ALL.keys.filter_map do |name|
          estimates = @comparisons.map { |comparison| comparison.estimates[name] }
          estimates if estimates.all?(&:known?) && wanted?(estimates.first.metric)
        end
      end

      def wanted?(metric)
        @families.nil? || @families.include?(metric.family)
      end

      def figures
        View::Section.new(title: word(:states_figures, base:),
          columns: [word(:figure), base, *labels.drop(1).flat_map { |label| [label, "%"] }],
          rows: shown.map { |estimates| row(estimates) },
          notes: [word(:states_note, mark: UNSURE, base:), *(word(:cpu_note) if cpu_share?)])
      end

      def cpu_share?
        shown.any? { |estimates| estimates.first.metric.name == :cpu_share }
      end

      # A comparison leaves out endpoints that its state lacks; the base's figures are those of the first
      # comparison.
      def row(estimates)
        metric = estimates.first.metric
        [@cells.name(metric), @cells.value(metric, estimates.first.before),
          *estimates.flat_map { |one| [@cells.value(metric, one.after), changed(one)] }]
      end

      def changed(estimate)
        return @cells.mark(estimate) if estimate.same?
        change = @cells.change(estimate.relative)
        (estimate.relative.nil? || %i[better worse
          changed].include?(estimate.verdict)) ? change : "#{UNSURE}#{change}"
      end

      def intervals
        known = shown.select { |estimates| estimates.any?(&:interval) }
        rows = known.map { |estimates|
          [@cells.name(estimates.first.metric), *estimates.map { |one| @cells.interval(one) }]
        }
        if rows.any?
          View::Section.new(title: word(:states_intervals), columns: [word(:figure), *labels.drop(1)], rows:)
        end
      end

      def plots
        shown.select { |estimates| PLOTTED.include?(estimates.first.metric.name) }.map do |estimates|
          metric = estimates.first.metric
          values = [estimates.first.before, *estimates.map(&:after)]
          rows = labels.zip(values).map { |label, value|
            [label, @cells.value(metric, value), bar(value, values.max)]
          }
          View::Section.new(title: @cells.name(metric), columns: [word(:state_column), "", ""], rows:)
        end
      end

      def bar(value, largest)
        ("=" * (largest.zero? ? 0 : (value * BAR / largest).round)).ljust(BAR)
      end

      def limits
        View::Section.new(title: word(:limits), columns: [], rows: [],
          notes: [*labelled(&:cause), *sentences.flat_map(&:limits).uniq, word(:limits_note)])
      end
    end
  end
end
