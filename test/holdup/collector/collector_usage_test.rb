# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Collector
  class CollectorUsageTest < Minitest::Test
    CollectorUsage = ProcessSampler::CollectorUsage

    def test_of_a_process_and_of_a_thread
      alone = CollectorUsage.new.call
      among_others = Thread.new { CollectorUsage.new.call }.value
      assert_operator alone[:collector_rss_bytes], :>, 5_000_000
      assert_equal [:collector_cpu_ns], among_others.keys
      assert_operator among_others[:collector_cpu_ns], :<, alone[:collector_cpu_ns]
    end

    def test_where_the_system_does_not_tell
      assert_equal [:collector_cpu_ns], CollectorUsage.new(status: "/nonexistent").call.keys
    end
  end
end
