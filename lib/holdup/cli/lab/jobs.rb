# frozen_string_literal: true

module Holdup
  class CLI
    class Lab
      # Sidekiq's throughput at each concurrency, measured beside what one run had let expect.
      class Jobs
        WIDEST = 100

        # @param console [Console]
        # @return [#parse]
        def self.options(console)
          Arguments.new(console.clock.realtime_s)
        end

        # @param console [Console]
        # @param ledger [Holdup::Lab::Jobs::JobLog]
        # @param redis_url [String, nil]
        # @param store [String, nil] URL or path
        # @param json [Boolean]
        # @param language [String, nil]
        # @param lab [#new] Holdup::Lab::Jobs
        def initialize(console:, ledger:, redis_url: nil, store: nil, json: false, language: nil, lab: Holdup::Lab::Jobs)
          @console = console
          @ledger = ledger
          @redis_url = redis_url
          @store = store
          @json = json
          @words = View::Words.new(language || Places.language(console.env))
          @lab = lab
        end

        # @return [Integer] exit status
        # @raise [Holdup::Error] what went wrong in a run, after what was measured before it is told
        def run
          result = measured
          @console.out.write(report(result).call)
          @console.err.puts(@words.call(:sweep_file, path: @ledger.path))
          raise result.failure if result.failure
          result.signal ? SIGNALED + result.signal : OK
        end

        private

        def measured
          store = @store && Store.open(@store)
          progress = Progress.new(@console, words: @words, step_s: @ledger.plan.step_s)
          @lab.new(@ledger, env: @console.env.to_h, redis_url: @redis_url, store:,
            progress: progress.method(:call)).call
        ensure
          @console.clear
          store&.close
        end

        def report(result)
          return json(result) if @json
          Holdup::Lab::Jobs::Text.new(result, words: @words, **@console.layout(WIDEST))
        end

        def json(result)
          Holdup::Lab::Jobs::Json.new(result, words: @words)
        end
      end
    end
  end
end
