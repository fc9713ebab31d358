# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/lock_windows"
require_relative "../../../../support/situations"

module Holdup::Advise::Rules
  class LongWaitsTest < Minitest::Test
    include Situations
    include LockWindows

    def found(...) = LockRules::LongWaits.call(Situation.new(summary: lock_summary(...)))

    def test_requests_that_wait_for_each_other
      text = text_of(finding = found)
      assert_equal [:locks_own, :code], [finding.rule, finding.remedy]
      assert_equal "Requests or jobs of Carts#update wait for each other's locks, " \
        "at app/models/cart.rb:12 (Mutex).", text["what"]
      assert_includes text["seen"], "60.0 ms for locks, 60.0 % of its time; 88.0 % of these waits"
      assert_match(/one lock for each key/, text["do"])
    end

    def test_requests_that_wait_for_another_name
      text = text_of(finding = found(ended: {"Carts#update" => {"PriceSync" => 60}}))
      assert_equal :locks_others, finding.rule
      assert_includes text["what"], "until PriceSync lets go"
      assert_includes text["seen"], "was ended by PriceSync at app/jobs/price_sync.rb:30"
      assert_match(/by a queue/, text["do"])
    end

    def test_requests_that_wait_for_what_others_hand_over
      place = lock_place("Carts#update", "app/a.rb:1 A#b | Thread::Queue#pop", lock_ns: 50 * LockWindows::MS)
      finding = found(locks: [place])
      assert_equal :locks_handed_over, finding.rule
      assert_includes text_of(finding)["what"], "hand something over, at app/a.rb:1 (Queue)"
    end

    def test_nobody_stands_out
      finding = found(ended: {"Carts#update" => {"(unknown)" => 60}})
      assert_equal :locks_unknown, finding.rule
      assert_includes text_of(finding)["seen"], "No other request, job or thread ended most of these waits"
    end

    # What was recorded before has no enders and no places: the general advice stays.
    def test_the_general_advice_only_where_nothing_more_is_known
      summaries = [lock_summary, lock_summary(locks: [])]
      rules = summaries.map { |summary| GvlRules::LockContention.call(Situation.new(summary:))&.rule }
      assert_equal [nil, :lock_contention], rules
    end

    def test_nothing_for_a_little
      assert_nil found({"Carts#update" => {lock: 9}})
    end
  end
end
