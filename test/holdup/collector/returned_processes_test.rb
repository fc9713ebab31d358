# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Collector
  class ReturnedProcessesTest < Minitest::Test
    NS = 1_000_000_000
    DAY_S = 86_400
    NOW_NS = 1_790_000_040 * NS
    OWN = "00000000000000aa"

    def setup
      @store = Holdup::Store.open("memory:")
      @returned = ReturnedProcesses.new(store: @store)
    end

    def store_death(pid, folder: OWN, reason: :lost, ago_s: 0)
      at_ns = NOW_NS - ago_s * NS
      death = Holdup::Autopsy.new(source: "#{folder}/#{pid}-1.segment:5", host: "h", pid:, name: "worker 0",
        setting: "s", since_ns: at_ns - NS, alive_ns: at_ns, gone_ns: at_ns, reason:)
      @store.commit([], {}, deaths: [death])
    end

    # @return [Array<Integer>] pids of those that are back
    def look(later_s = 0) = @returned.to_a(OWN, NOW_NS + later_s * NS).map(&:pid)

    def test_only_lost_processes_of_its_own_folder_are_back
      store_death(1)
      store_death(2, folder: "00000000000000bb")
      store_death(3, reason: :signal)
      assert_equal [1], look
    end

    def test_the_first_look_is_at_everything
      store_death(1, ago_s: 30 * DAY_S)
      assert_equal [1], look
    end

    def test_looks_once_a_minute
      look
      store_death(1)
      assert_empty look(59)
      assert_equal [1], look(60)
    end

    def test_looks_at_everything_after_a_failure_and_after_a_long_time
      look
      store_death(1, ago_s: 30 * DAY_S)
      assert_empty look(60)
      @returned.forget
      assert_equal [1], look(61)
      assert_empty look(121)
      assert_equal [1], look(121 + 3600)
    end
  end
end
