# frozen_string_literal: true

module Holdup
  class CLI
    # What would be if something were otherwise: before and after side by side, at the peak of the recording.
    class Whatif
      # @param console [Console]
      # @return [#parse]
      def self.options(console)
        WhatifOptions.new(console.clock.realtime_s)
      end

      # @param console [Console]
      # @param from_s [Integer]
      # @param to_s [Integer]
      # @param change [Hash{Symbol => Object}] see Sizing::WhatIf::WhatIfChange
      # @param kind [Symbol]
      # @param slo [Sizing::Slo]
      # @param json [Boolean]
      # @param app [String, nil] application; nil: all of the store
      # @param store [String, nil]
      # @param language [String, nil]
      def initialize(console:, from_s:, to_s:, change:, kind: :request, slo: Sizing::Slo.new, json: false,
        app: nil, store: nil, language: nil, **)
        @console = console
        @span = {from_s:, to_s:}
        @change = Sizing::WhatIf::WhatIfChange.new(**change)
        @sizing = {kind:, objective: Sizing::Objective.new(:latency, slo:)}
        @json = json
        @app = app
        @store = store
        @words = View::Words.new(language || Places.language(console.env))
      end

      # @return [Integer] exit status
      # @raise [Error] where there is nothing to replay
      # @raise [UsageError] for a name that no unit has
      def run
        sized = Places.reading(@console.env, @store, app: @app) do |store|
          Queries::SizingInputs.new(store, **@span, **@sizing).tap { |one|
            check_kind(store) if one.recommendation.nil?
          }
        end
        recommendation = sized.recommendation
        check(recommendation)
        found = Sizing::WhatIf.new(recommendation, @change)
        check_names(found)
        report = View::WhatIf.new(found, change: @change, kind: @sizing[:kind], slo: @sizing[:objective].slo, span:, words: @words,
          **@console.layout)
        @console.out.write(@json ? report.json : report.call)
        OK
      end

      private

      def check_kind(store)
        unmatched = Queries::UnmatchedFilter.of(store, *@span.values,
          Analysis::UnitFilter.new(kind: @sizing[:kind]))
        raise unmatched.error if unmatched
      end

      def check(recommendation)
        unless recommendation
          raise Error.new("no units were recorded in that span", "choose another with --since and --until")
        end
        return if recommendation.reasons.empty?
        told = View::AdviceVerdict.new(recommendation, span:, words: @words, kind: @sizing[:kind]).sentence
        raise Error.new(told, "`holdup advise` says more")
      end

      def check_names(found)
        found.unknown.each { |name|
          raise UsageError.new("no unit of that span is called #{name[0, 100].inspect}",
            "`holdup report` lists the names; * stands for any letters")
        }
        found.overruled.each { |name|
          raise UsageError.new("no unit is left for #{name[0, 100].inspect}",
            "--without, or a name before it, has all of them; leave one out")
        }
        if found.nobody_left?
          raise UsageError.new("no other unit of that span is left to compare",
            "let --without, --own-pool and --mix name fewer")
        end
      end

      def span = SizingOptions.told(**@span)
    end
  end
end
