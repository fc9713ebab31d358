# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/lock_windows"

class Holdup::View::LockWaitTest < Minitest::Test
  include LockWindows

  CARTS = {filter: Holdup::Analysis::UnitFilter.new(name: "Carts#update")}.freeze

  def sentence(summary = lock_summary(**CARTS), language: "en")
    Holdup::View::Headline.new(summary, words: Holdup::View::Words.new(language)).lock_wait
  end

  def test_how_long_where_and_who_ended_it
    assert_equal "Carts#update waits 60.0 ms for a lock at cart.rb:12 (Mutex); " \
      "88 % of it was ended by Carts#update itself, 12 % by PriceSync at price_sync.rb:30.", sentence
  end

  def test_in_japanese
    assert_equal "Carts#update は 1 件あたり平均 60.0 ms、cart.rb:12 でロック（Mutex）を待っています。" \
      "待ちを終わらせたのは、待ち時間の 88 % が Carts#update 自身、12 % が PriceSync（price_sync.rb:30）です。",
      sentence(language: "ja")
  end

  def test_a_thread_outside_of_requests_and_jobs
    summary = lock_summary(ended: {"Carts#update" => {"thread:feeder" => 60}}, **CARTS)
    assert_match(/100 % of it was ended by \(thread\) feeder\.\z/, sentence(summary))
  end

  def test_only_where_it_waits_where_nothing_says_who_ended_that
    summary = lock_summary(ended: {"Carts#update" => {"(unknown)" => 60}}, **CARTS)
    assert_equal "Carts#update waits 60.0 ms for a lock at cart.rb:12 (Mutex).", sentence(summary)
  end

  def test_nothing_where_it_hardly_waits_or_nothing_was_recorded_or_no_name_is_chosen
    assert_nil sentence(lock_summary({"Carts#update" => {lock: 4}}, **CARTS))
    assert_nil sentence(lock_summary(locks: [], **CARTS))
    assert_nil sentence(lock_summary)
  end

  def test_it_is_read_where_it_is_said
    assert_includes Holdup::View::Headline.parts(lock_summary(**CARTS)), :locks
    refute_includes Holdup::View::Headline.parts(lock_summary), :locks
  end
end
