# frozen_string_literal: true

require "test_helper"
require "holdup/analysis/sizing/verification"
require_relative "../../../support/played_recording"

module Holdup::Analysis::Sizing
  class VerificationTest < Minitest::Test
    BEFORE = PlayedRecording.new(minutes: 20).recommendation

    def verification(**since) = Verification.new(BEFORE, PlayedRecording.new(minutes: 10, seed: 3, processes: 2, **since), rounds: 6)

    # At half as much load again: the prediction is for the load that came.
    def test_it_came_true
      found = verification(rate: 37.0)
      assert found.kept?, found.lines.inspect
      assert_equal [2, 5], found.candidate.then { |one| [one.processes, one.threads] }
      found.lines.each { |line| assert_operator line.error.abs, :<, 0.1 }
      wait = found.lines.last
      assert_operator wait.measured, :<, wait.before
    end

    def test_other_work_than_recorded_is_a_miss
      found = verification(truth: 1.6)
      refute found.kept?
      response = found.lines.first
      assert_operator response.error, :<, -0.1
      refute_includes response.interval, 0.0
    end
  end
end
