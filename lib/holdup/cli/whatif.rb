# frozen_string_literal: true

require_relative "../analysis/sizing/what_if"
require_relative "../reports/what_if"
require_relative "options"
require_relative "places"
require_relative "sized"
require_relative "sizing_options"

module Holdup
  class CLI
    # What would be if something were otherwise: before and after side by side, at the peak of the recording.
    class Whatif
      WIDTHS = (60..100)
      CHANGES = %i[threads processes time_slice_ns vcpus factor without halved].freeze
      SLICES_NS = (1_000_000..1_000_000_000)

      # Reads the arguments to the keywords of Whatif.
      Arguments = Data.define(:now_s) do
        # @return [Hash{Symbol => Object}]
        def parse(argv)
          values = Options.new("holdup whatif --threads 3 | --load x2 | --without NAME ... [options]") { |parser, read| declare(parser, read) }.parse(argv)
          return values if values.key?(:help)
          values.except(:since, :until, :format, *CHANGES).merge(SizingOptions.span_of(values, now_s), change: values.slice(*CHANGES), json: values[:format] == :json)
        end

        def declare(parser, values)
          parser.on("--threads N", "so many in each process") { |text| values[:threads] = Values.whole("--threads", text, 1..1000) }
          parser.on("--processes P", "so many on each host") { |text| values[:processes] = Values.whole("--processes", text, 1..1000) }
          parser.on("--slice TIME", "how long a thread keeps the GVL from others (10ms)") { |text| values[:time_slice_ns] = slice(text) }
          parser.on("--load FACTOR", "x2: twice the requests") { |text| values[:factor] = SizingOptions.factor("--load", text) }
          parser.on("--without GLOB", "these moved elsewhere; the others are compared") { |text| values[:without] = text }
          parser.on("--halve-acquisitions GLOB", "these take the GVL half as often (N+1 fixed)") { |text| values[:halved] = text }
          SizingOptions.declare(parser, values, now_s)
        end

        def slice(text)
          slice_ns = Values.duration("--slice", text)
          SLICES_NS.cover?(slice_ns) ? slice_ns : raise(UsageError.new("--slice can't be #{text[0, 100].inspect}", "it takes a time from 1ms to 1s"))
        end
      end

      # @param console [Console]
      # @return [#parse]
      def self.options(console) = Arguments.new(now_s: console.clock.realtime_s)

      # @param console [Console]
      # @param from_s [Integer]
      # @param to_s [Integer]
      # @param change [Hash{Symbol => Object}] see Analysis::Sizing::WhatIf::Change
      # @param kind [Symbol]
      # @param slo [Analysis::Sizing::Slo]
      # @param json [Boolean]
      # @param store [String, nil]
      # @param language [String, nil]
      # @raise [UsageError] when nothing would change
      def initialize(console:, from_s:, to_s:, change:, kind: :request, slo: Analysis::Sizing::Slo.new, json: false, store: nil, language: nil, **)
        raise UsageError.new("whatif needs to know what would be different", "give --threads, --processes, --slice, --load, --vcpus, --without or --halve-acquisitions") if change.empty?
        @console = console
        @span = {from_s:, to_s:}
        @change = Analysis::Sizing::WhatIf::Change.new(**change)
        @sizing = {kind:, objective: Analysis::Sizing::Objective.new(:latency, slo:)}
        @json = json
        @store = store
        @words = Reports::Words.new(language || Places.language(console.env))
      end

      # @return [Integer] exit status
      # @raise [Error] where there is nothing to replay
      def run
        recommendation = Places.reading(@console.env, @store) { |store| Sized.new(store, **@span, **@sizing) }.recommendation
        check(recommendation)
        found = Analysis::Sizing::WhatIf.new(recommendation, @change)
        raise UsageError.new("no unit of that span is called #{(@change.without || @change.halved).inspect}", "`holdup report` lists the names; * stands for any letters") if named? && found.touched.zero?
        report = Reports::WhatIf.new(found, change: @change, kind: @sizing[:kind], slo: @sizing[:objective].slo, span:, words: @words, width:, style: Reports::Style.for(@console.out, @console.env))
        @console.out.write(@json ? report.json : report.call)
        OK
      end

      private

      def named? = @change.without || @change.halved

      def check(recommendation)
        raise Error.new("no units were recorded in that span", "choose another with --since and --until") unless recommendation
        reasons = recommendation.reasons
        return if reasons.empty?
        told = Reports::AdviceVerdict.new(recommendation, span:, words: @words, kind: @sizing[:kind]).sentence
        raise Error.new(told, "`holdup advise` says more")
      end

      def width = (@console.columns || 80).clamp(WIDTHS)

      def span = @span.values.map { |second| Time.at(second).strftime("%Y-%m-%d %H:%M") }.join(" - ")
    end
  end
end
