# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/situations"

module Holdup::Advise::Rules
  class DbPoolTest < Minitest::Test
    include Situations

    def unheld(window)
      window.with(sums: window.sums.merge(pool_held_ns: 0))
    end

    SETTING = SampleWindows::SETTING.merge("db_pool" => 3)

    def waits(sample)
      [sample.window("A#a", count: 10,
        sums: {pool_wait_ns: 4000 * Situations::MS, pool_held_ns: 9000 * Situations::MS},
        histograms: {wall: Holdup::Histogram.of([500 * Situations::MS] * 10)})]
    end

    # Of one process: how long threads outside of requests kept connections.
    def kept(ms)
      [0, 120].map do |passed|
        {host: "web-1", pid: 10, start: 1, since_s: SampleWindows::START_S,
         at_s: SampleWindows::START_S + passed, name: "worker 0", server: "puma",
         connections_kept_ns: passed.zero? ? 0 : ms * Situations::MS}
      end
    end

    def test_a_pool_smaller_than_the_threads_with_a_diff
      recording = PlayedRecording.new(minutes: 2).tap { |one| one.setting = {"db_pool" => 3} }
      found = find(DatabaseRules::DbPool, units: unit(units: 20, io: 5, cpu: 5), setting: SETTING,
        samples: kept(0), recommendation: recording.recommendation, written: ["  pool: 3"]) { |sample|
        waits(sample)
      }
      text = text_of(found)
      assert_operator found.facts[:wait_share], :>, 0.3
      assert_match(/the pool has 3/, text["what"])
      beginning = /\AThe waits take \d\d.\d % of all time\. A#a kept the connections for .*/
      ending = /, longer than any other\. \[holdup report --full\]\z/
      assert_match(/#{beginning}#{ending}/, text["seen"])
      assert_match(/In config\/database.yml:1 \(then restart\):\n- pool: 3\n\+ pool: 5\z/, text["do"])
    end

    def test_the_owner_of_the_connections_is_unknown
      text = text_of(found = find(DatabaseRules::DbPool, units: unit(units: 20, io: 5, cpu: 5),
        setting: SETTING) { |sample| [unheld(waits(sample).first)] })
      assert_equal :db_pool_unheld, found.rule
      assert_match(/What keeps the connections during that time is not known/, text["seen"])
    end

    def test_threads_outside_of_requests_that_kept_them_for_longest_are_named
      text = text_of(found = find(DatabaseRules::DbPool, units: unit(units: 20, io: 5, cpu: 5),
        setting: SETTING, samples: kept(90_000)) { |sample| waits(sample) })
      assert_equal :db_pool_outside, found.rule
      said = /Threads outside of requests and jobs kept the connections for 90\.9 % of the time/
      assert_match(said, text["seen"])
      refute_match(/A#a/, text["seen"])
      assert_match(/give a connection back/, text["do"])
    end

    def test_names_no_request_while_other_threads_are_not_known
      found = find(DatabaseRules::DbPool, units: unit(units: 20, io: 5, cpu: 5),
        setting: SETTING) { |sample| waits(sample) }
      assert_equal :db_pool_unheld, found.rule
    end

    def test_says_which_connections_where_they_are_not_of_a_database
      samples = kept(0).map { |sample| {**sample, "waited.pools": "RedisClient"} }
      found = find(DatabaseRules::DbPool, units: unit(units: 20, io: 5, cpu: 5), setting: SETTING,
        samples:) { |sample| waits(sample) }
      text = text_of(found)
      assert_equal "Requests or jobs wait for a connection of a pool (RedisClient).", text["what"]
      assert_match(/all time\. A#a kept the connections for \S+ % of the time/, text["seen"])
      refute_match(/database/, text.values.join)
    end

    def test_names_no_pool_where_it_may_have_been_one_of_several
      samples = kept(0).map { |sample| {**sample, "waited.pools": "Redis", "waited.database": "yes"} }
      found = find(DatabaseRules::DbPool, units: unit(units: 20, io: 5, cpu: 5), setting: SETTING,
        samples:) { |sample| [unheld(waits(sample).first)] }
      text = text_of(found)
      assert_equal "Requests or jobs wait for a connection of a pool.", text["what"]
      assert_match(/\AThe waits take \S+ % of all time\. \[/, text["seen"])
    end

    def test_no_finding_without_waits
      assert_nil find(DatabaseRules::DbPool, units: unit(io: 5))
    end
  end
end
