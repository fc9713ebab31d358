# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Advise::Sizing::SloTest < Minitest::Test
  Slo = Holdup::Advise::Sizing::Slo

  def test_what_people_write
    assert_equal Slo.new(percentile: 0.95, limit_ns: 300_000_000), Slo.parse("p95=300ms")
    assert_equal Slo.new(percentile: 0.999, limit_ns: 1_500_000_000), Slo.parse("p99.9=1.5s")
    assert_equal Slo.new(percentile: 0.99), Slo.parse("p99")
  end

  def test_what_is_none
    ["", "95", "p5", "p10=3s", "p95=300", "p95=fast", "p100=1s"].each { |text|
      assert_nil Slo.parse(text), text
    }
  end

  def test_a_name_and_a_limit
    assert_equal %w[p95 p99.9], [Slo.new.name, Slo.new(percentile: 0.999).name]
    assert Slo.new.met?(10**12)
    refute Slo.parse("p95=1ms").met?(1_000_001)
  end
end
