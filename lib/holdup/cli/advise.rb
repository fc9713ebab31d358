# frozen_string_literal: true

module Holdup
  class CLI
    # How many threads, processes and job slots: keep, change, or can't say, with the evidence.
    class Advise
      # @param console [Console]
      # @return [#parse]
      def self.options(console)
        AdviseOptions.new(console.clock.realtime_s)
      end

      # @param console [Console]
      # @param from_s [Integer]
      # @param to_s [Integer]
      # @param kind [Symbol]
      # @param queue [String, nil] of jobs: what serves it is sized
      # @param slo [Sizing::Slo]
      # @param objective [Symbol, nil] nil: latency for requests, throughput for jobs
      # @param factor [Float]
      # @param vcpus [Float, nil]
      # @param memory [Integer, nil] bytes of a host
      # @param connections [Integer, nil]
      # @param format [Symbol] :text, :json, :markdown, :html
      # @param limit [Integer] rows
      # @param warm_up_s [Integer]
      # @param verify [String, nil] a file with an earlier advice: then that is held against what was measured
      #   since
      # @param app [String, nil] application; nil: all of the store
      # @param out [String, nil] file that it is written to
      # @param save [String, nil] file that it is kept in besides, as `verify` takes it
      # @param store [String, nil]
      # @param language [String, nil]
      # @raise [UsageError] for throughput of requests, which arrive by themselves
      def initialize(console:, from_s:, to_s:, kind: :request, queue: nil, slo: Sizing::Slo.new, objective: nil, factor: 1.0, vcpus: nil, memory: nil,
        connections: nil, format: :text, limit: AdviseOptions::ROWS, warm_up_s: Analysis::ProcessBoots::WARM_UP_S, verify: nil, app: nil, out: nil, save: nil, store: nil, language: nil)
        if objective == :throughput && kind == :request
          raise UsageError.new("--objective throughput is for jobs",
            "add --kind job; requests arrive by themselves")
        end
        @console = console
        @span = {from_s:, to_s:}
        @sizing = {kind:, factor:, objective: Sizing::Objective.new(objective || ((kind == :job) ? :throughput : :latency), slo:),
                   given: {vcpus:, memory_limit_bytes: memory, connections:}, warm_up_s:}
        @queue = queue
        @verify = verify
        @format = format
        @destination = Destination.new(console, file: out, format:)
        @save = Destination.new(console, file: save, option: "--save") if save
        @limit = limit
        @app = app
        @store = store
        @words = View::Words.new(language || Places.language(console.env))
      end

      # @return [Integer] exit status
      def run
        return verification.run if @verify
        sized, pool = Places.reading(@console.env, @store, app: @app) { |store| read(store) }
        lines = WrittenLines.new
        situation = Advice::Situation.new(summary: sized.summary, recommendation: sized.recommendation,
          levers: Advice::ServerLevers.new(sized.lately, lines:), pool:, files: lines.method(:all))
        tell(sized, Advice.call(situation))
        OK
      end

      private

      def read(store)
        served = @queue && Queries::QueueOwner.new(store, **@span, queue: @queue)
        [Queries::SizingInputs.new(store, **@span, **@sizing, setting: served&.setting, pool: served&.pool),
          served&.pool]
      end

      # What is kept is what was read: asked once more, a store that is written to may say otherwise.
      def tell(sized, findings)
        @save&.write(json(sized.recommendation, findings).call)
        @destination.write(report(sized, findings).call)
      end

      def verification
        Verify.new(console: @console, file: @verify, **@span, json: @format == :json, store: @store,
          words: @words)
      end

      def report(sized, findings)
        told = {span:, words: @words, limit: @limit, kind: @sizing[:kind]}
        case @format
        when :json then json(sized.recommendation, findings)
        when :markdown then markdown(sized, findings, told)
        when :html then html(sized, findings, told)
        else text(sized, findings, told)
        end
      end

      def html(sized, findings, told)
        advised = View::AdvicePage.new(sized, findings, **told)
        View::Html.single(advised.title, advised.answer + advised.grounds, words: @words)
      end

      def text(sized, findings, told)
        View::Advice.new(sized.recommendation, findings, **told, summary: sized.summary, again:,
**@console.layout)
      end

      def markdown(sized, findings, told)
        View::Advice::Markdown.new(sized.recommendation, findings, **told, summary: sized.summary, again:)
      end

      def json(recommendation, findings)
        View::JsonAdvice.new(recommendation, findings, **@span, **@sizing.slice(:kind, :warm_up_s),
**{app: @app}.compact)
      end

      def span = SizingOptions.told(**@span)

      def again
        SizingOptions.again(**@span, app: @app, store: @store)
      end
    end
  end
end
