# frozen_string_literal: true

module Holdup
  module Autopilot
    # What the autopilot of a host does now, and why.
    class StatusText
      # @param state [State]
      def initialize(state, words:)
        @state = state
        @words = words
      end

      # @return [Boolean] whether a collector has ever acted for it
      def on? = !waiting? || @state.waits != :start

      def waiting? = @state.phase == :waiting

      # @return [String] why it waits
      def reason = word(:"wait_#{@state.waits}", detail:)

      # What is recorded of a sizing without an answer are keys: "self_test, starved".
      def detail
        return Advise::NoAnswer.text(@state.detail.split(", "), words: @words) if @state.waits == :unknown
        View::AuditLog.reason(@state.detail, @words)
      end

      # @return [String] a sentence
      def text
        plan = @state.plan || @state.kept
        return word(:waiting, reason:) unless plan
        facts = {from: plan.values.first, to: plan.values.last,
                 why: View::AuditLog.reason(plan.why, @words)}
        return word(:kept, **facts) if @state.phase == :kept
        word(:experiment, **facts, ends: Time.at(plan.turns.ends_s).utc.strftime("%H:%M UTC"))
      end

      # @return [Hash{Symbol => Object}] for programs
      def to_h
        {phase: @state.phase, reason: (@state.waits if waiting?), text: View::Width.clean(text)}
      end

      private

      def word(key, **facts) = @words.call(:"autopilot_#{key}", **facts)
    end
  end
end
