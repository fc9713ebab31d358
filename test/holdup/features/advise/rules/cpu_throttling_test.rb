# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/situations"

module Holdup::Advise::Rules
  class CpuThrottlingTest < Minitest::Test
    include Situations

    def throttled(share)
      container(periods: ->(passed) { passed * 10 }, throttled_periods: ->(passed) { passed * 10 * share },
        throttled_ns: ->(passed) { passed * Situations::MS })
    end

    def test_a_quota_that_stops_everybody
      text = text_of(find(MachineRules::CpuThrottling, samples: throttled(0.1)))
      seen = /\AStopped in 10.0 % of the periods, 120 ms in all, at 4 vCPUs\. \[holdup report --full\]\z/
      assert_match(seen, text["seen"])
      assert_match(/Raise the quota/, text["do"])
      assert_match(/not predicted/, text["expect"])
    end

    def test_no_finding_where_throttling_is_rare_or_unknown
      assert_nil find(MachineRules::CpuThrottling, samples: throttled(0.02))
      assert_nil find(MachineRules::CpuThrottling)
    end
  end
end
