# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Compare::Estimate::StudentDistributionTest < Minitest::Test
  # From published tables.
  KNOWN = {[0.975, 1] => 12.706, [0.975, 2] => 4.303, [0.975, 3] => 3.182,
           [0.975, 5] => 2.571, [0.975, 11] => 2.201, [0.975, 1e9] => 1.960,
           [0.95, 4] => 2.132, [0.99, 7] => 2.998, [0.8, 5] => 0.920}.freeze

  def test_quantiles_as_in_the_tables
    distribution = Holdup::Compare::Estimate::StudentDistribution
    KNOWN.each do |(share, freedom), value|
      assert_in_epsilon value, distribution.quantile(share, freedom), 0.012, [share, freedom].inspect
    end
  end
end
