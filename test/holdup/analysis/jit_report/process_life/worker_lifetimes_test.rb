# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::WorkerLifetimesTest < Minitest::Test
  def sample(pid, at_s, units, ended: nil, name: "worker 0", jit: 1)
    {at_s:, host: "h", pid:, start: 1, since_s: 100, name:, server: "puma", units:, jit_enabled: jit,
     ended:}.compact
  end

  def lives(*samples)
    Holdup::Analysis::JitReport::ProcessLife::WorkerLifetimes.of(samples)
  end

  def test_of_those_that_ended
    found = lives(sample(1, 160, 10), sample(1, 200, 40, ended: true), sample(2, 300, 90, ended: true),
      sample(3, 260, 70, ended: true), sample(4, 300, 5)).first
    assert_equal ["puma", 3, 1, 70, 160, true],
      found.to_h.values_at(:server, :ended, :alive, :units, :seconds, :jit)
    assert_predicate found, :recycled?
  end

  def test_does_not_count_a_deployment_or_a_stop_as_recycling
    followed = lives(sample(1, 200, 40, ended: true), sample(2, 250, 40, ended: true), sample(3, 300, 5))
    refute_predicate followed.first, :recycled?
    refute_predicate lives(sample(1, 200, 40, ended: true), sample(2, 250, 40, ended: true)).first, :recycled?
  end

  def test_none
    assert_empty lives(sample(1, 200, 40))
    assert_empty lives(sample(1, 200, 40, ended: true, name: "pid 1"))
    refute lives(sample(1, 200, 40, ended: true, jit: nil)).first.jit
  end
end
