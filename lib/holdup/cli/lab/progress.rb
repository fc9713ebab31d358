# frozen_string_literal: true

module Holdup
  class CLI
    class Lab
      # How far an experiment is, with the time that is left: one line that changes on a terminal, a line for
      # each new thing that it does elsewhere.
      class Progress
        MINUTE_S = 60

        # @param console [Console]
        # @param words [View::Words]
        # @param step_s [Numeric] how long a step takes, before one was seen
        def initialize(console, words:, step_s:)
          @console = console
          @words = words
          @step_s = step_s
          @started_s = @console.clock.realtime_s
        end

        # @param number [Integer] of the step, from 1
        # @param of [Integer]
        # @param doing [Symbol]
        # @param arm [Holdup::Lab::Arm]
        # @param facts of what it does
        # @return [void]
        def call(number, of, doing, arm:, **facts)
          @first ||= number
          return unless @console.err.tty? || said(number, doing)
          facts = facts.transform_values { |value| format("%g", value.round(1)) }
          @console.pass(@words.call(:sweep_progress, number:, of:, arm: arm.name, doing: doing(doing, facts),
            left: left(of - number + 1, number - @first)))
        end

        private

        def said(*what)
          @said != what && (@said = what)
        end

        def doing(doing, facts)
          @words.call(:"sweep_doing_#{doing}", **facts)
        end

        # By what the steps took so far.
        def left(steps, done)
          each_s = done.zero? ? @step_s : (@console.clock.realtime_s - @started_s).fdiv(done)
          @words.call(:sweep_about, minutes: [(steps * each_s / MINUTE_S).ceil, 1].max)
        end
      end
    end
  end
end
