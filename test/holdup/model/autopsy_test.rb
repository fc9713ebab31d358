# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::AutopsyTest < Minitest::Test
  NS = 1_000_000_000

  def autopsy(**rest)
    Holdup::Autopsy.new(source: "f/7-1.segment:5", host: "web-1", pid: 7, name: "worker 0", setting: "abc",
      since_ns: NS, alive_ns: 100 * NS, gone_ns: 104 * NS, **rest)
  end

  def test_comes_back_from_json
    death = autopsy(server: "puma", reason: :signal, status: 9, beyond: 2, objects: 5, told_ns: 101 * NS,
      units: [{kind: :request, name: "A#b", state: :gvl, holder: false}, {kind: :job, name: "J", state: nil}],
      gvl: {holder_thread: 3, holder_name: nil}, memory: [{at_s: 60, rss_bytes: 9}],
      ended: [{kind: :request, name: "A#b", start_ns: 4, wall_ns: 5}], last_round_ns: 90 * NS,
      shares: {"A#b" => 0.5})
    facts = JSON.parse(JSON.generate(death.facts), symbolize_names: true)
    assert_equal death, Holdup::Autopsy.load(source: death.source, facts:)
  end

  def test_dies_at_its_last_sign_of_life_where_nobody_saw_it
    assert_equal [100 * NS, 100], [autopsy.died_ns, autopsy.at_s]
  end

  def test_dies_when_its_parent_saw_it_but_not_outside_of_what_is_possible
    assert_equal 102 * NS, autopsy(told_ns: 102 * NS).died_ns
    assert_equal 104 * NS, autopsy(told_ns: 300 * NS).died_ns
    assert_equal 100 * NS, autopsy(told_ns: 2 * NS).died_ns
    assert_equal 100 * NS, autopsy(told_ns: 300 * NS, gone_ns: 99 * NS).died_ns
  end

  def test_has_an_id_of_second_and_process
    assert_equal "2s-7", autopsy.id
  end

  def test_refuses_a_reason_that_it_does_not_know
    assert_raises(ArgumentError) { autopsy(reason: "boredom") }
    assert_equal :oom, autopsy(reason: "oom").reason
  end
end
