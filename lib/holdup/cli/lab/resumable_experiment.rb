# frozen_string_literal: true

module Holdup
  class CLI
    class Lab
      # What the commands of experiments that keep each step in a file have in common: progress while they
      # run, then the result, even of a part, and where it is kept.
      #
      # A command has @console, @words, @ledger (the file) and @store, and answers
      # - `experiment(store:, progress:)`: what measures; `rendered(result)`: the text
      # - `announce` before it starts and `hints(result)` after it, unless there is nothing to say
      module ResumableExperiment
        # @return [Integer] exit status
        # @raise [Holdup::Error] a step failed; the earlier measurements are printed first
        def run
          result = measured
          @console.out.write(rendered(result))
          @console.err.puts(@words.call(:sweep_file, path: @ledger.path), *hints(result))
          raise result.failure if result.failure
          result.signal ? SIGNALED + result.signal : OK
        end

        private

        def measured
          store = @store && Store.open(@store)
          announce
          progress = ProgressLine.new(@console, words: @words, step_s: @ledger.plan.step_s)
          experiment(store:, progress: progress.method(:call)).call
        ensure
          @console.clear
          store&.close
        end

        def announce = nil

        def hints(_result) = []
      end
    end
  end
end
