# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Lab::SidekiqVcpuTest < Minitest::Test
  def expected(vcpus)
    Holdup::Lab::SidekiqVcpu::EXPERIMENTS.to_h { |each| [each.name, each.expected(vcpus).to_h.values] }
  end

  def test_theory_on_two_vcpus
    assert_equal({alone: [1, 1], threads: [2, 2], serial: [1, 2], processes: [1, 1]}, expected(2))
    assert_equal expected(2), expected(64)
  end

  def test_theory_where_processes_have_to_share
    assert_equal({alone: [1, 1], threads: [2, 2], serial: [1, 2], processes: [2, 2]}, expected(1))
    assert_in_delta 4 / 3.0, expected(1.5)[:processes].first
  end
end
