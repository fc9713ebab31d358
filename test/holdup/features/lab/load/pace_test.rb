# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Lab::Load::PaceTest < Minitest::Test
  def kept?(sent: 400, throughput: 40.0, seconds: 10, response_ms: 50)
    Holdup::Lab::Load::Pace.kept?(sent:, throughput:, seconds:, response_ns: response_ms * 1_000_000)
  end

  # 300 at a rate of 40: chance sends fewer in a short time.
  def test_what_counts_is_what_was_sent
    assert kept?
    assert kept?(sent: 300, throughput: 30.0)
    refute kept?(throughput: 30.0)
  end

  # The last answer of slow requests comes after the end; a queue's last one much later than a request takes
  # on average.
  def test_slow_is_not_too_much
    assert kept?(throughput: 400 / 12.0, response_ms: 2_000)
    refute kept?(throughput: 400 / 20.0, response_ms: 5_000)
  end
end
