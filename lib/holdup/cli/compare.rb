# frozen_string_literal: true

module Holdup
  class CLI
    # Says what a change did: two times, settings, arms or revisions side by side, with intervals.
    class Compare
      WIDEST = 120

      def self.options(console)
        CompareOptions.new(console)
      end

      # @param console [Console]
      # @param sides [Hash{Symbol => Object}] what is compared, see CompareOptions
      # @param filter [Analysis::UnitFilter]
      # @param format [Symbol] one of CompareOptions::FORMATS
      # @param families [Array<Symbol>, nil] of metrics
      # @param app [String, nil] application; nil: all of the store
      # @param out [String, nil] file that it is written to
      # @param store [String, nil]
      # @param language [String, nil]
      def initialize(console:, sides:, filter:, format: :text, families: nil, app: nil, out: nil, store: nil,
        language: nil)
        @console = console
        @asked = sides
        @filter = filter
        @format = format
        @families = families
        @destination = Destination.new(console, file: out, format:)
        @app = app
        @store = store
        @words = View::Words.new(language || Places.language(console.env))
      end

      # @return [Integer] exit status
      # @raise [Error] where there is nothing to compare
      def run
        @destination.write(@asked[:states] ? states : told(comparison))
        OK
      end

      private

      def comparison
        sides = Places.reading(@console.env, @store, app: @app) do |store|
          check_filter(store, @asked[:spans] || [@asked.values_at(:from_s, :to_s)])
          Queries::ComparisonSource.sides(@asked[:spans] ? of_spans(store) : of_settings(store))
        end
        sides.each { |side| check(side) }
        Analysis::Comparison.new(*sides)
      end

      def of_spans(store)
        @asked[:spans].map { |from_s, to_s| [recorded(store, from_s, to_s), span(from_s, to_s)] }
      end

      def of_settings(store)
        recorded = recorded(store, *@asked.values_at(:from_s, :to_s))
        @picked = Queries::SettingGroups.new(recorded.settings, @asked[:by]).pick(@asked[:values])
        @picked.sides.map { |label, settings| [recorded, label, settings] }
      end

      # Each may be in a store of its own, as experiments leave them.
      def states
        sides = @asked[:states].map { |state| side_of(state) }
        sides.each { |side| check(side) }
        tell_states(sides.drop(1).map { |side| Analysis::Comparison.new(sides.first, side) })
      end

      def side_of(state)
        Places.reading(@console.env, state.store || @store, app: @app) do |store|
          check_filter(store, [[state.from_s, state.to_s]])
          recorded = recorded(store, state.from_s, state.to_s)
          recorded.side(state.label, state.setting && Queries::SettingGroups.new(recorded.settings, Queries::SettingGroups::SETTING).settings(state.setting))
        end
      end

      def tell_states(comparisons)
        if @format == :json
          return "#{JSON.pretty_generate(comparisons.map { |comparison| json(comparison).to_h })}\n"
        end
        lay_out(View::Compare::States.new(comparisons, words: @words, kind: @filter.kind,
          families: @families).page)
      end

      def recorded(store, from_s, to_s)
        Queries::ComparisonSource.new(store, from_s:, to_s:, filter: @filter)
      end

      def check_filter(store, spans)
        unmatched = spans.filter_map { |from_s, to_s| Queries::UnmatchedFilter.of(store, from_s, to_s, @filter) }
        raise unmatched.first.error if unmatched.any?
      end

      def check(side)
        return if side.units.positive?
        raise Error.new("there are no #{@filter.kind}s in #{side.label}",
          "`holdup report` shows what there is; --kind and --name choose")
      end

      def told(comparison)
        case @format
        when :json then json(comparison).call
        when :html then html(comparison)
        else lay_out(report(comparison).page)
        end
      end

      # With the distributions over each other.
      def html(comparison)
        page = report(comparison).page
        charts = View::Charts::Sides.new([comparison.before, comparison.after], words: @words).call
        View::Html.single(page.title, [*page.blocks, charts], words: @words).call
      end

      def report(comparison)
        View::Compare.new(comparison, words: @words, kind: @filter.kind, families: @families, picked: @picked)
      end

      def json(comparison)
        View::Compare::Json.new(comparison, sentences: report(comparison).sentences)
      end

      def lay_out(page)
        LaidOut.call(page, format: @format, console: @console, widest: WIDEST, language: @words.language)
      end

      def span(from_s, to_s)
        [from_s, to_s].map { |second| Time.at(second).strftime("%Y-%m-%d %H:%M") }.join(" - ")
      end
    end
  end
end
