# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/running_units"

class Holdup::Ps::HungCheckTest < Minitest::Test
  include RunningUnits

  Host = Data.define(:alive)

  def results(**facts)
    process = Holdup::Doctor::Checks::Host::HostProcess.new(pid: 7, alive: true, closed: false,
      heartbeat_ns: NOW_NS, setting: {}, counters: {}, requests: 0, queued: 0, read_ns: NOW_NS, **facts)
    Holdup::Ps::HungCheck.call(Host.new(alive: [process]))
  end

  def test_warns_of_a_gvl_that_is_not_released
    result = results(open_units: hogged.units, gvl: hogged.gvl, worker: 2).first
    assert_equal :warn, result.level
    assert_equal :hung_gvl, result.key
    assert_equal "worker 2", result.facts[:process]
  end

  def test_knows_the_pools_of_the_process
    parked = open_unit("A#x", lasted_s: 30, state: :idle)
    result = results(open_units: [parked], pools: [{max: 1}], profile: {"pool.0" => "puma"}).first
    assert_equal :hung_pool, result.key
  end

  def test_says_nothing_of_others
    assert_empty results
    assert_empty results(open_units: hogged.units, gvl: hogged.gvl, closed: true)
  end
end
