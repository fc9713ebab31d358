# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/situations"

module Holdup::Advise::Rules
  class ProcessCountTest < Minitest::Test
    include Situations

    LEVERS = [{"lever.processes.value": 1,
               "lever.processes.write": "workers N", "lever.processes.how": "puma_workers",
               "lever.processes.where": "ENV[WEB_CONCURRENCY]"}].freeze

    def found(**recording)
      find(ThreadRules::ProcessCount, units: unit(cpu: 5),
        recommendation: advised(PlayedRecording.new(minutes: 10, **recording), process_bytes: 200_000_000),
        levers: LEVERS)
    end

    one_ruby def test_sets_the_second_process_in_the_variable_that_decides
      text = text_of(found)
      assert_equal "Run 2 processes on each host instead of 1.", text["what"]
      assert_match(/queued \+ GVL wait at p95: .* 400 MB of memory\. \[holdup whatif --processes 2\]\z/,
        text["seen"])
      assert_match(/In environment WEB_CONCURRENCY .*\n- WEB_CONCURRENCY=1\n\+ WEB_CONCURRENCY=2\z/,
        text["do"])
      assert_operator found.interval.begin, :>, 0
    end

    one_ruby def test_nothing_where_the_number_is_right
      assert_nil found(processes: 2)
    end
  end
end
