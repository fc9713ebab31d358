# frozen_string_literal: true

require_relative "../advice"
require_relative "../reports/words"
require_relative "destination"
require_relative "options"
require_relative "places"
require_relative "../inquiry/sized"
require_relative "sizing_options"
require_relative "written_lines"

module Holdup
  class CLI
    # How many threads, processes and job slots: keep, change, or can't say, with the evidence.
    class Advise
      LIMIT = 14
      OBJECTIVES = %i[latency cost balanced throughput].freeze

      # Options that go with an advice and not with its verification.
      ASKED = %i[slo kind objective factor vcpus memory connections limit out].freeze

      # Reads the arguments to the keywords of Advise.
      Arguments = Data.define(:now_s) do
        # @return [Hash{Symbol => Object}]
        def parse(argv)
          values = Options.new("holdup advise [options]") { |parser, read| declare(parser, read) }.parse(argv)
          return values if values.key?(:help)
          check(values)
          span = values.key?(:verify) ? {from_s: values[:since], to_s: values.fetch(:until, now_s)} : SizingOptions.span_of(values, now_s)
          values.except(:since, :until).merge(span)
        end

        # What was asked for when the advice was given stands in its file.
        def check(values)
          given = (values.keys & ASKED) + [values[:format]].select { |format| format == :html }
          raise UsageError.new("--verify takes none of what goes with an advice", "leave out #{given.map { |key| "--#{key.to_s.tr("_", "-")}" }.join(", ")}") if values.key?(:verify) && given.any?
        end

        def declare(parser, values)
          SizingOptions.declare(parser, values, now_s)
          parser.on("--objective WHAT", "latency, cost, balanced; jobs: throughput") { |text| values[:objective] = Inquiry::Values.choice("--objective", text, OBJECTIVES) }
          parser.on("--load FACTOR", "x1.3: for so much of the recorded load") { |text| values[:factor] = Inquiry::Values.factor("--load", text) }
          parser.on("--memory SIZE", "limit of a host: 512M, 2G") { |text| values[:memory] = SizingOptions.bytes("--memory", text) }
          parser.on("--db-connections N", "that the database server has for this app") { |text| values[:connections] = Inquiry::Values.whole("--db-connections", text, 1..1_000_000) }
          parser.on("--limit N", "rows of the table (#{Advise::LIMIT})") { |text| values[:limit] = Inquiry::Values.whole("--limit", text, 4..10_000) }
          parser.on("--warm-up TIME", "after a boot, that don't count (120s); 0s: all counts") { |text| values[:warm_up_s] = Inquiry::Values.duration("--warm-up", text) / 1_000_000_000 }
          parser.on("--markdown", "for a pull request or an issue") { values[:format] = :markdown }
          parser.on("--html", "one file for a browser") { values[:format] = :html }
          parser.on("--out FILE", "write it there") { |text| values[:out] = text }
          parser.on("--verify FILE", "what --json said: has it come true since?") { |text| values[:verify] = text }
        end
      end

      # @param console [Console]
      # @return [#parse]
      def self.options(console) = Arguments.new(now_s: console.clock.realtime_s)

      # @param console [Console]
      # @param from_s [Integer]
      # @param to_s [Integer]
      # @param kind [Symbol]
      # @param slo [Analysis::Sizing::Slo]
      # @param objective [Symbol, nil] nil: latency for requests, throughput for jobs
      # @param factor [Float]
      # @param vcpus [Float, nil]
      # @param memory [Integer, nil] bytes of a host
      # @param connections [Integer, nil]
      # @param format [Symbol] :text, :json, :markdown, :html
      # @param limit [Integer] rows
      # @param warm_up_s [Integer]
      # @param verify [String, nil] a file with an earlier advice: then that is held against what was measured since
      # @param out [String, nil] file that it is written to
      # @param store [String, nil]
      # @param language [String, nil]
      # @raise [UsageError] for throughput of requests, which arrive by themselves
      def initialize(console:, from_s:, to_s:, kind: :request, slo: Analysis::Sizing::Slo.new, objective: nil, factor: 1.0, vcpus: nil, memory: nil,
        connections: nil, format: :text, limit: LIMIT, warm_up_s: Analysis::Sizing::Recording::Boots::WARM_UP_S, verify: nil, out: nil, store: nil, language: nil)
        raise UsageError.new("--objective throughput is for jobs", "add --kind job; requests arrive by themselves") if objective == :throughput && kind == :request
        @console = console
        @span = {from_s:, to_s:}
        @sizing = {kind:, factor:, objective: Analysis::Sizing::Objective.new(objective || ((kind == :job) ? :throughput : :latency), slo:),
                   given: {vcpus:, memory_limit_bytes: memory, connections:}, warm_up_s:}
        @verify = verify
        @format = format
        @destination = Destination.new(console, file: out, format:)
        @limit = limit
        @store = store
        @words = Reports::Words.new(language || Places.language(console.env))
      end

      # @return [Integer] exit status
      def run
        return verification.run if @verify
        sized = Places.reading(@console.env, @store) { |store| Inquiry::Sized.new(store, **@span, **@sizing) }
        situation = Advice::Situation.new(summary: sized.summary, recommendation: sized.recommendation, levers: Advice::Levers.new(sized.lately, lines: WrittenLines.new))
        @destination.write(report(sized, Advice.call(situation)).call)
        OK
      end

      private

      def verification
        require_relative "verify"
        Verify.new(console: @console, file: @verify, **@span, json: @format == :json, store: @store, words: @words)
      end

      def report(sized, findings)
        told = {span:, words: @words, limit: @limit, kind: @sizing[:kind]}
        case @format
        when :json then json(sized.recommendation, findings)
        when :markdown then markdown(sized.recommendation, findings, told)
        when :html then html(sized, findings, told)
        else text(sized.recommendation, findings, told)
        end
      end

      def html(sized, findings, told)
        require_relative "../web/advised"
        require_relative "../web/static/document"
        words = Holdup::Web::Words.new(@words.language)
        advised = Holdup::Web::Advised.new(sized, findings, **told, words:)
        Holdup::Web::Static::Document.single(advised.title, advised.answer + advised.grounds, words:)
      end

      def text(recommendation, findings, told)
        require_relative "../reports/advice"
        Reports::Advice.new(recommendation, findings, **told, width: @console.width, style: Reports::Style.for(@console.out, @console.env))
      end

      def markdown(recommendation, findings, told)
        require_relative "../reports/markdown_advice"
        Reports::MarkdownAdvice.new(recommendation, findings, **told)
      end

      def json(recommendation, findings)
        require_relative "../reports/json_advice"
        Reports::JsonAdvice.new(recommendation, findings, **@span, **@sizing.slice(:kind, :warm_up_s))
      end

      def span = SizingOptions.told(**@span)
    end
  end
end
