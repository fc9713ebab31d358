# frozen_string_literal: true

require "test_helper"
require "holdup/cli"

class Holdup::CLI::DoctorTest < Minitest::Test
  include CommandLine

  NOW_S = SampleWindows::START_S + 240

  def doctor(*arguments, samples: []) = with_samples(samples) { |store| holdup("doctor", "--store", store, "--dir", "/nonexistent", *arguments, now_s: NOW_S) }

  def test_whether_an_alarm_can_fire
    samples = SampleProcesses.new(vcpus: 2.0, servers: {"sidekiq" => 1}).to_a.reject { |sample| sample[:pid].zero? && sample[:at_s] > SampleWindows::START_S }
    said = doctor("--autoscale-target", "90", samples:).out.gsub(/\s+/, " ")
    assert_match(/The CPU alarm at 90 % never fires: web-1 \(vCPUs: 2, Ruby processes: 1\) reaches 6\d-6\d % at most/, said)
    assert_match(/ok Scale on the time that work waits for a thread: 95 % of it waited less than/, said)
  end

  def test_nobody_asked_and_nobody_knows
    refute_match(/alarm/, doctor.out)
    assert_match(/Whether the CPU alarm at 60 % can fire is not known/, doctor("--autoscale-target", "60").out)
    assert_match(/CPU アラーム（60 %）/, doctor("--autoscale-target", "60", "--lang", "ja").out)
  end

  def test_for_programs
    said = JSON.parse(doctor("--json").out)
    assert_equal [1, []], said.values_at("schema", "processes")
    assert_includes said["findings"].map { |finding| finding["key"] }, "folder_missing"
  end

  def test_a_target_that_is_none
    %w[0 101 sixty].each do |target|
      said = doctor("--autoscale-target", target)
      assert_equal [2, 1], [said.status, said.err.lines.size]
      assert_match(/whole number from 1 to 100/, said.err)
    end
  end

  private

  def with_samples(samples)
    with_store do |path|
      Holdup::Stores.open(path).then { |store| store.commit([], {}, processes: samples).then { store.close } }
      yield path
    end
  end
end
