# frozen_string_literal: true

module Holdup
  module Autopilot
    # What the autopilot of a host does now, and why.
    class StatusText
      # @param state [State]
      # @param now_s [Integer]
      def initialize(state, words:, now_s:)
        @state = state
        @words = words
        @now_s = now_s
      end

      # @return [Boolean] whether a collector has ever acted for it
      def on? = !waiting? || @state.waits != :start

      def waiting? = @state.phase == :waiting

      # @param lever [String, nil] of a plan; nil: of an earlier version, which had threads alone
      # @return [Symbol] of the sentence that speaks of it
      def self.key(key, lever) = (lever == "processes") ? :"autopilot_#{key}_processes" : :"autopilot_#{key}"

      # @return [String] why it waits
      def reason
        key = "wait_#{@state.waits}"
        key = "#{key}_because" if @state.waits == :no_process && fixed
        word(key, detail:)
      end

      # @return [String, nil] why the servers of this host can't change what they are asked to
      def fixed
        key = :"fixed_#{@state.detail}"
        @words.call(key) if @words.key?(key)
      end

      # What is recorded of a sizing without an answer are keys: "self_test, starved".
      def detail
        return fixed if @state.waits == :no_process && fixed
        return Advise::NoAnswer.text(@state.detail.split(", "), words: @words) if @state.waits == :unknown
        View::AuditLog.reason(@state.detail, @words)
      end

      # @return [String] a sentence
      def text
        plan = @state.plan || @state.kept
        return word(:waiting, reason:) unless plan
        facts = {from: plan.values.first, to: plan.values.last,
                 why: View::AuditLog.reason(plan.why, @words)}
        return word(:kept, lever: plan.lever, **facts) if @state.phase == :kept
        facts[:ends] = Time.at(plan.turns.ends_s).utc.strftime("%H:%M UTC")
        look_s = next_look_s(plan.turns)
        return word(:experiment, lever: plan.lever, **facts) unless look_s
        word(:experiment_before_look, lever: plan.lever, **facts,
          rest: View::Figures.rough((look_s - @now_s) * NS))
      end

      # @return [Hash{Symbol => Object}] for programs
      def to_h
        {phase: @state.phase, reason: (@state.waits if waiting?), text: View::Width.clean(text)}
      end

      private

      # @param turns [Switchback]
      # @return [Integer, nil] seconds since 1970; nil after the last one
      def next_look_s(turns)
        schedule = Experiment::LookSchedule.of_blocks(turns.cycles, block_s: turns.cycle_s)
        looks_s = schedule.sizes.map { |size| turns.changes_s + size * turns.cycle_s }
        looks_s.find { |at_s| at_s > @now_s }
      end

      def word(key, lever: nil, **facts) = @words.call(self.class.key(key, lever), **facts)
    end
  end
end
