# frozen_string_literal: true

require "json"

module Holdup
  class CLI
    class Lab
      # One setting of the user's own server after the other under the same load, measured and predicted.
      class Sweep
        # Below that the table has no room.
        WIDEST = 100

        # @param console [Console]
        # @return [#parse]
        def self.options(console)
          Arguments.new(console)
        end

        # @param console [Console]
        # @param ledger [Holdup::Lab::Sweep::ProgressFile]
        # @param store [String, nil] URL or path
        # @param format [Symbol] :text, :markdown or :json
        # @param language [String, nil] nil: from the environment
        # @param lab [#new] Holdup::Lab::Sweep
        def initialize(console:, ledger:, store: nil, format: :text, language: nil, lab: Holdup::Lab::Sweep)
          @console = console
          @ledger = ledger
          @store = store
          @format = format
          @words = View::Words.new(language || Places.language(console.env))
          @lab = lab
        end

        # @return [Integer] exit status
        # @raise [Holdup::Error] what went wrong in a step, after what was measured before it is told
        def run
          result = measured
          @console.out.write(told(result))
          @console.err.puts(@words.call(:sweep_file, path: @ledger.path), *hints(result))
          raise result.failure if result.failure
          result.signal ? SIGNALED + result.signal : OK
        end

        private

        def measured
          store = @store && Store.open(@store)
          announce
          progress = Progress.new(@console, words: @words, step_s: @ledger.plan.step_s)
          @lab.new(@ledger, env: @console.env.to_h, store:, progress: progress.method(:call)).call
        ensure
          @console.clear
          store&.close
        end

        # Which requests it will send, where that was not typed.
        def announce
          Holdup::Lab::Sweep::Sentences.new(Holdup::Lab::Sweep::SweepReport.new(@ledger), words: @words).then { |told| told.recorded + told.left_out }.each { |line| @console.err.puts(line) }
        end

        def told(result)
          return "#{JSON.pretty_generate(json(result))}\n" if @format == :json
          LaidOut.call(report(result).page, format: @format, console: @console, widest: WIDEST)
        end

        def hints(_result) = []

        def json(result) = result.to_h

        def report(result)
          Holdup::Lab::Sweep::Report.new(result, words: @words)
        end
      end
    end
  end
end
