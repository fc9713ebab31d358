# frozen_string_literal: true

module Holdup
  module Lab
    class Jobs
      # What is to be tried, complete enough to go on with it later.
      #
      # - `command`, `root`: the user's Sidekiq without -c and -q, and where it runs; none: the lab's own
      #   jobs; `kinds`: Array of Kind
      # - `concurrency`: Array of threads, `baseline`: the one that is predicted from; `again`: whether it
      #   runs twice in each round
      # - `seconds` of each run, behind a warm-up of `warm_up_s`; `rounds`
      JobsPlan = Data.define(:command, :root, :kinds, :concurrency, :baseline, :again, :seconds, :warm_up_s,
        :rounds) do
        # @param hash [Hash{Symbol => Object}] from to_h
        # @return [JobsPlan]
        def self.from(hash)
          new(**hash.slice(*members), kinds: hash.fetch(:kinds).map { |kind| Kind.new(**kind) })
        end

        def initialize(concurrency:, baseline:, seconds:, warm_up_s:, rounds:, command: [], root: nil,
          kinds: Work::OWN, again: true)
          super(concurrency: concurrency | [baseline], baseline:, seconds:, warm_up_s:, rounds:, command:, root:, kinds:, again:)
        end

        # Round by round, so that a machine that is busy for a while spoils one run of each; every round in
        # the other direction, the baseline first.
        # @return [Array<Step>]
        def steps
          (0...rounds).flat_map { |round|
            order(round).map { |threads, again| Step.new(round:, threads:, again:) }
          }
        end

        # @param step [Step]
        # @return [Array<Integer>] concurrencies that its run lets expect something of: the recording's,
        #   itself included, no other's
        def predicted_from(step)
          (step.threads == baseline && !step.again) ? concurrency : []
        end

        # Sidekiq's client is needed here for either.
        # @return [Program]
        # @raise [UnsupportedError] there is no Sidekiq
        def program
          Program.own.then { |own| command.empty? ? own : own.with(command:, folder: root) }
        end

        # @return [Float] seconds of a step, before anything is known
        def step_s = 3.0 + warm_up_s + seconds

        # @return [Hash] for a file
        def to_h = super.merge(kinds: kinds.map(&:to_h))

        private

        def order(round)
          others = concurrency - [baseline]
          [[baseline, false], *(if again
                                  [[baseline, true]]
                                end), *(round.odd? ? others.reverse : others).map { |threads| [threads, false] }]
        end
      end
    end
  end
end
