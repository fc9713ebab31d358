# frozen_string_literal: true

require_relative "folders"
require_relative "jobs/result"
require_relative "jobs/run"
require_relative "jobs/work"
require_relative "redis"
require_relative "signals"

module Holdup
  module Lab
    # A real Sidekiq with one concurrency after the other, always with work, and what the run of one of them lets expect of the
    # others: measured and predicted side by side.
    class Jobs
      # @param concurrency [Array<Integer>]
      # @param baseline [Integer] one of them: its run is the recording
      # @param program [Program]
      # @param kinds [Array<Kind>] the mix of jobs
      # @param seconds [Numeric] of each run, behind a warm-up
      # @param warm_up_s [Numeric]
      # @param rounds [Integer] of all runs
      # @param env [Hash{String => String}] the environment
      # @param redis_url [String, nil] nil: a private one
      # @param progress [#call] gets threads, the number of the run and how many there are before each
      def initialize(concurrency:, baseline:, program:, seconds:, warm_up_s:, rounds:, env:, kinds: Work::OWN, redis_url: nil, progress: ->(_threads, _number, _of) {})
        @concurrency = concurrency
        @baseline = baseline
        @program = program
        @kinds = kinds
        @spans = {seconds:, warm_up_s:}
        @rounds = rounds
        @env = env
        @redis_url = redis_url
        @progress = progress
      end

      # Ctrl-C ends it with what was measured by then.
      # @return [Result]
      # @raise [UnsupportedError] no Redis, or a Ruby that can't be measured
      # @raise [Holdup::Error] what went wrong in a run
      def call
        @outcomes = []
        Signals.first_only { with_redis { |url| plan.each_with_index { |threads, index| measure(threads, index, url) } } }
        Result.new(@outcomes, baseline: @baseline)
      rescue SignalException => signal
        raise signal unless @outcomes.any? { |outcome| outcome.threads == @baseline }
        Result.new(@outcomes, baseline: @baseline, stopped: true)
      end

      private

      # Round by round, so that a machine that is busy for a while spoils one run of each; every round in the other direction, the
      # baseline first.
      def plan
        others = @concurrency - [@baseline]
        Array.new(@rounds) { |round| [@baseline, *(round.odd? ? others.reverse : others)] }.flatten
      end

      def measure(threads, index, url)
        @progress.call(threads, index + 1, plan.size)
        Folders.open do |folders|
          run = Run.new(threads, program: @program, work: Work.new(@kinds), redis: url, env: @env, **folders)
          @outcomes << run.call(**@spans).tap { |outcome| check(outcome) }
        end
      end

      def check(outcome)
        return if outcome.profiles.any?
        raise Error.new("no job of the run with #{outcome.threads} threads was measured", "see `holdup doctor` for whether this Ruby can be, and give it more --seconds")
      end

      def with_redis(&) = @redis_url ? yield(@redis_url) : Redis.run(path: @env.fetch("PATH", ""), &)
    end
  end
end
