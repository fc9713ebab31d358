# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Doctor::CommandTest < Minitest::Test
  include CommandLine

  NOW_S = SampleWindows::START_S + 240

  def doctor(*arguments, samples: [])
    with_samples(samples) { |store|
      holdup("doctor", "--store", store, "--dir", "/nonexistent", *arguments, now_s: NOW_S)
    }
  end

  def test_whether_an_alarm_can_fire
    samples = SampleProcesses.new(vcpus: 2.0, servers: {"sidekiq" => 1}).to_a.reject { |sample|
      sample[:pid].zero? && sample[:at_s] > SampleWindows::START_S
    }
    said = doctor("--autoscale-target", "90", samples:).out.gsub(/\s+/, " ")
    beginning = /The CPU alarm at 90 % never fires: host web-1 \(vCPUs: 2, Ruby processes: 1\) /
    ending = /reaches 6\d-6\d % at most/
    assert_match(/#{beginning}#{ending}/, said)
    assert_match(/ok Scale on queue time: above .* at p95/, said)
  end

  def test_without_an_alarm_and_with_an_unknown_ceiling
    refute_match(/alarm/, doctor.out)
    assert_match(/Holdup does not know whether the CPU alarm at 60 % can fire/,
      doctor("--autoscale-target", "60").out)
    assert_match(/CPU アラーム（60 %）/, doctor("--autoscale-target", "60", "--lang", "ja").out)
  end

  # A deployment an hour ago; since then each unit takes half as much CPU again.
  def test_what_is_not_as_it_was_before_the_last_change_of_setting
    shop = {"A#fast" => {ms: {cpu: 4, stalled: 2, io: 6}, acquisitions: 6, units: 30, blame: 1}}
    sides = [[4, "aaa", 0], [6, "bbb", 3600]].map { |cpu, revision, later_s|
      side({"A#fast" => shop["A#fast"].merge(ms: {cpu:, stalled: 2, io: 6})}, revision, later_s)
    }
    with_store(sides.flat_map(&:first), sides.flat_map(&:last)) do |path|
      said = holdup("doctor", "--store", path, "--dir", "/nonexistent", "--json",
        now_s: SampleWindows::START_S + 3600 + 1800)
      drift = JSON.parse(said.out)["findings"].select { |finding| finding["key"].start_with?("drift") }
      assert_equal [%w[warn drift_cpu_unit_worse]], drift.map { |finding| finding.values_at("level", "key") }
      assert_match(/\Apuma: requests or jobs take \d\d % more CPU than before the change of setting at /,
        drift.first["text"])
    end
  end

  # @return [Array(Array<Holdup::Window>, Array<Hash>)] half an hour of two warm processes
  def side(units, revision, later_s)
    sample = SampleWindows.new(units:, minutes: 30, seed: later_s + 1,
      setting: SampleWindows::SETTING.merge("revision" => revision))
    processes = SampleProcesses.new(sample, servers: {"puma" => 2}).to_a.map { |one|
      one.merge(at_s: one[:at_s] + later_s,
     **(one[:since_s] ? {since_s: one[:since_s] - 600, start: later_s} : {}))
    }
    [sample.to_a.map { |window| window.with(start_s: window.start_s + later_s) }, processes]
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
      Holdup::Store.open(path).then { |store| store.commit([], {}, processes: samples).then { store.close } }
      yield path
    end
  end
end
