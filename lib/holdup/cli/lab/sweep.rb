# frozen_string_literal: true

require "json"
require_relative "../../lab/sweep"
require_relative "../../lab/sweep/text"
require_relative "../../reports/style"
require_relative "../../stores"
require_relative "../places"
require_relative "progress"

module Holdup
  class CLI
    class Lab
      # One setting of the user's own server after the other under the same load, measured and predicted.
      class Sweep
        # Below that the table has no room.
        WIDTHS = (80..100)

        # @param console [Console]
        # @return [#parse]
        def self.options(console)
          require_relative "sweep/arguments"
          Arguments.new(now_s: console.clock.realtime_s)
        end

        # @param console [Console]
        # @param ledger [Holdup::Lab::Sweep::Ledger]
        # @param store [String, nil] URL or path
        # @param json [Boolean]
        # @param language [String, nil] nil: from the environment
        # @param lab [#new] Holdup::Lab::Sweep
        def initialize(console:, ledger:, store: nil, json: false, language: nil, lab: Holdup::Lab::Sweep)
          @console = console
          @ledger = ledger
          @store = store
          @json = json
          @words = Reports::Words.new(language || Places.language(console.env))
          @lab = lab
        end

        # @return [Integer] exit status
        def run
          result = measured
          @console.out.write(@json ? "#{JSON.pretty_generate(json(result))}\n" : text(result))
          @console.err.puts(@words.call(:sweep_file, path: @ledger.path))
          result.signal ? SIGNALED + result.signal : OK
        end

        private

        def measured
          store = @store && Stores.open(@store)
          progress = Progress.new(@console, words: @words, step_s: @ledger.plan.step_s)
          @lab.new(@ledger, env: @console.env.to_h, store:, progress: progress.method(:call)).call
        ensure
          @console.clear
          store&.close
        end

        def text(result)
          width = (@console.columns || WIDTHS.begin).clamp(WIDTHS)
          report(result, words: @words, width:, style: Reports::Style.for(@console.out, @console.env)).call
        end

        def json(result) = result.to_h

        def report(result, **layout) = Holdup::Lab::Sweep::Text.new(result, **layout)
      end
    end
  end
end
