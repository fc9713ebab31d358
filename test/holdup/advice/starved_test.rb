# frozen_string_literal: true

require "test_helper"
require_relative "../../support/situations"

module Holdup::Advice
  class StarvedTest < Minitest::Test
    include Situations

    def test_others_have_the_cpu
      told = told(find(Starved, units: unit(cpu: 10, starved: 4), samples: container(run_delay_share: 0.4)))
      assert_match(/\A28.\d % of the time held without a CPU, against 7\d.\d % on one; threads waited for a CPU 28.\d %/, told["seen"])
      assert_match(/Fewer processes, or more vCPUs/, told["do"])
      assert_match(/not predicted/, told["expect"])
    end

    def test_nothing_where_nobody_else_had_it
      assert_nil find(Starved, units: unit(cpu: 10, starved: 4), samples: container(run_delay_share: 0.001))
      assert_nil find(Starved, units: unit(cpu: 10), samples: container(run_delay_share: 0.4))
    end
  end
end
