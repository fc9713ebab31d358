# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Collector
  class LostProcessesTest < Minitest::Test
    NS = 1_000_000_000
    MINUTE_NS = 60 * NS
    NOW_S = 1_790_000_040
    NOW_NS = NOW_S * NS
    SETTING = Holdup::Setting.new(attributes: {"threads" => 5})
    OWN = "pod-b"
    GONE = "pod-a"

    def setup
      @store = Holdup::Store.open("memory:")
      @lost = LostProcesses.new(store: @store)
      @now_ns = NOW_NS
    end

    def key(host) = [host, "/dev/shm/holdup##{host.unpack1("H*").ljust(16, "0")}"]

    # What a collector writes in a round.
    def write(host, last_round: [], at_ns: @now_ns)
      host, folder = key(host)
      checkpoint = Holdup::CollectorCheckpoint.new(host:, folder:, at_ns:, units: {}, last_round:)
      @store.commit([], {}, collector_checkpoint: checkpoint)
    end

    def process(pid: 7, at_ns: @now_ns)
      Holdup::Autopsy.new(source: "f/#{pid}-1.segment:5:lost", host: GONE, pid:, name: "worker 0",
        setting: SETTING.fingerprint, since_ns: NOW_NS - 3600 * NS, alive_ns: at_ns - NS, gone_ns: at_ns,
        reason: :lost, last_round_ns: at_ns,
        units: [{kind: :request, name: "A#b", state: nil, started_ns: at_ns - 20 * NS}])
    end

    # So many minutes, in which these collectors write.
    # @return [Array<Holdup::Autopsy>] what the first of them finds
    def pass(minutes, *hosts, lost: @lost)
      Array.new(minutes) do
        @now_ns += MINUTE_NS
        hosts.each { |host| write(host) }
        lost.to_a(key(hosts.first), @now_ns)
      end.flatten
    end

    def test_finds_what_a_silent_collector_had_in_flight
      write(GONE, last_round: [process])
      assert_empty pass(5, OWN)
      found = pass(1, OWN)
      assert_equal [[7, :lost, ["A#b"]]],
        found.map { |one| [one.pid, one.reason, one.units.map { |unit| unit[:name] }] }
      assert_equal [@now_ns, NOW_NS, NOW_NS - NS],
        found.first.to_h.values_at(:gone_ns, :last_round_ns, :alive_ns)
    end

    def test_finds_it_once
      write(GONE, last_round: [process])
      @store.commit([], {}, deaths: pass(6, OWN))
      assert_equal 1, @store.deaths(0, 1 << 40).size
      assert_empty pass(3, OWN)
      assert_empty pass(8, OWN, lost: LostProcesses.new(store: @store)), "after a restart"
    end

    def test_a_collector_that_writes_on_is_not_silent
      write(GONE, last_round: [process])
      assert_empty pass(20, OWN, GONE)
    end

    def test_a_clock_that_is_behind_says_nothing
      @now_ns += MINUTE_NS
      20.times do
        write(GONE, last_round: [process], at_ns: @now_ns - 900 * NS)
        assert_empty pass(1, OWN)
      end
    end

    def test_a_collector_that_had_nothing_in_flight_is_not_missed
      write(GONE)
      assert_empty pass(20, OWN)
    end

    # The store, or the way to it, was away for all of them.
    def test_says_nothing_while_its_own_rounds_do_not_arrive
      write(GONE, last_round: [process])
      pass(1, OWN)
      20.times { assert_empty @lost.to_a(key(OWN), @now_ns += MINUTE_NS) }
      write(GONE, last_round: [process])
      assert_empty pass(4, OWN)
    end

    def test_time_without_a_look_does_not_count
      write(GONE, last_round: [process])
      pass(1, OWN)
      @now_ns += 3600 * NS
      assert_empty pass(5, OWN)
      assert_equal 1, pass(1, OWN).size
    end

    def test_only_the_first_of_those_that_live_writes
      write(GONE, last_round: [process])
      assert_empty pass(8, "pod-c", OWN)
      assert_equal 1, pass(8, OWN, "pod-c", lost: LostProcesses.new(store: @store)).uniq(&:source).size
    end

    def test_what_was_lost_a_day_ago_is_left
      write(GONE, last_round: [process(at_ns: NOW_NS - 86_400 * NS)])
      assert_empty pass(8, OWN)
    end

    def test_has_the_memory_of_the_time_before
      sample = {host: GONE, pid: 7, setting: SETTING.fingerprint, start: 5, since_s: NOW_S - 3600}
      @store.commit([], {}, processes: [{**sample, at_s: NOW_S - 60, rss_bytes: 9},
        {**sample, at_s: NOW_S - 120, rss_bytes: 8, since_s: 5}, {**sample, at_s: NOW_S - 700, rss_bytes: 7}])
      write(GONE, last_round: [process])
      assert_equal [{at_s: NOW_S - 60, rss_bytes: 9}], pass(6, OWN).first.memory
    end
  end
end
