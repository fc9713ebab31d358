# frozen_string_literal: true

require "test_helper"
require "holdup/collector/process_facts"

class Holdup::Collector
  class ProcessFactsTest < Minitest::Test
    def test_of_this_process
      facts = ProcessFacts.new.call(Process.pid)
      assert_in_delta Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :nanosecond), facts[:cpu_ns], 1_000_000_000
      assert_operator facts[:rss_bytes], :>, 5_000_000
      assert_operator facts[:pss_bytes], :<=, facts[:rss_bytes] + 10_000_000
    end

    def test_of_one_that_has_gone
      assert_empty ProcessFacts.new.call(4_194_999)
    end
  end
end
