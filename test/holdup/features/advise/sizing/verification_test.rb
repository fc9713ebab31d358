# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../../../support/played_recording"
require_relative "../../../../support/unlike_processes"

module Holdup::Advise::Sizing
  class VerificationTest < Minitest::Test
    BEFORE = PlayedRecording.new(minutes: 20).recommendation

    def verification(**since)
      Verification.new(BEFORE, PlayedRecording.new(minutes: 10, seed: 3, processes: 2, **since), rounds: 6)
    end

    # At half as much load again: the prediction is for the load that came.
    def test_it_came_true
      found = verification(rate: 37.0)
      assert found.kept?, found.lines.inspect
      assert_equal [2, 5], found.candidate.then { |one| [one.processes, one.threads] }
      found.lines.each { |line| assert_operator line.error.abs, :<, 0.1 }
      wait = found.lines.last
      assert_operator wait.measured, :<, wait.before
    end

    # Its blocks are parts of minutes.
    one_ruby def test_a_short_recording
      since = PlayedRecording.new(minutes: 3, seed: 3, processes: 2)
      assert_operator Traffic.of(since.unit_samples, since.arrivals).block_s, :<, 60
      found = Verification.new(BEFORE, since, rounds: 2)
      assert_operator found.lines.first.error.abs, :<, 0.2
    end

    # Looked at later once more, it is the same outcome; the recorded setting says nothing of others.
    one_ruby def test_what_is_kept_of_it
      recording = PlayedRecording.new(minutes: 4)
      recording.setting = Holdup::Setting.new(attributes: {"app" => "shop"})
      before = recording.recommendation
      found = Verification.new(before, PlayedRecording.new(minutes: 4, seed: 3, processes: 2), rounds: 2)
      kept = found.outcome(from_s: 1, to_s: 2, at_s: 9)
      assert_equal [{app: "shop", kind: :request, pool: "", setting: before.recording.setting.fingerprint,
                     from_s: 1, to_s: 2, processes: 2, threads: 5, time_slice_ns: 100_000_000}, found.units],
        [kept.key, kept.units]
      p95 = found.lines.find { |line| line.name == :p95 }
      assert_equal [p95.before, before.self_test.predicted.p95_ns, p95.predicted, p95.measured].map(&:round),
        kept.figures.fetch(:p95).to_h.values.first(4)
      assert_equal Verification::NAMES, kept.figures.keys
      assert_equal(found.lines.to_h { |line| [line.name, line.interval.cover?(0.0)] },
        kept.figures.transform_values(&:inside?))
      assert_nil Verification.new(before, PlayedRecording.new(minutes: 4), rounds: 2).outcome(from_s: 1,
        to_s: 2, at_s: 9)
    end

    # The same units, of which it is known or not which process they ran in.
    one_ruby def test_the_interval_includes_what_processes_differ_by
      widths = [false, true].map do |known|
        before = UnlikeProcesses.new(minutes: 30, swing: 0.0)
        before.unit_samples.map! { |unit| unit.with(process: nil) } unless known
        since = PlayedRecording.new(minutes: 10, seed: 3, processes: 2)
        interval = Verification.new(before.recommendation, since, rounds: 10).lines.first.interval
        interval.end - interval.begin
      end
      assert_operator widths.last, :>, 1.5 * widths.first
    end

    one_ruby def test_other_work_than_recorded_is_a_miss
      found = verification(truth: 1.6)
      refute found.kept?
      response = found.lines.first
      assert_operator response.error, :<, -0.1
      refute_includes response.interval, 0.0
    end
  end
end
