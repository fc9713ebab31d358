# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/lock_windows"

class Holdup::Analysis::LockWaitsTest < Minitest::Test
  include LockWindows

  def waits(...) = lock_summary(...).lock_waits

  def test_names_that_wait_longest_first
    lines = waits.names
    assert_equal %w[Carts#update Stock#show], lines.map(&:name)
    assert_equal [60 * MS, 0.6], [lines.first.each_ns, lines.first.share]
  end

  def test_waits_for_connections_are_no_reason_to_look_at_locks
    pooled = waits({"Carts#update" => {lock: 60, pool: 60}})
    assert_equal ["Carts#update"], pooled.names.map(&:name)
    assert_empty pooled.notable
  end

  def test_a_tenth_of_the_time_of_a_name_that_matters_is_notable
    assert_equal ["Carts#update"], waits.notable.map(&:name)
    rare = waits({"Carts#update" => {lock: 60}, "Big#show" => {lock: 0, wall: 100_000}})
    assert_empty rare.notable
  end

  def test_who_ended_the_waits_of_a_name
    ended = waits.ended_by("Carts#update").to_h { |pair| [pair.causer.name, pair.share] }
    assert_equal({"Carts#update" => 0.88, "PriceSync" => 0.12}, ended)
  end

  def test_places_where_one_waits_and_where_one_ends_waits
    waits = self.waits
    at = waits.waits_at("Carts#update")
    assert_equal ["app/models/cart.rb:12", "Cart#update", "Mutex"], [at.location, at.label, at.primitive]
    assert_equal "app/jobs/price_sync.rb:30", waits.ends_at("PriceSync").location
    assert_nil waits.waits_at("PriceSync")
    assert_equal %w[Carts#update Carts#update PriceSync], waits.places.map(&:name)
  end

  # What a report needs is known from the names, before anything else is read.
  def test_what_is_read_later_is_found
    summary = lock_summary(locks: Holdup::Analysis::SummaryParts::UNREAD)
    assert_equal ["Carts#update"], summary.lock_waits.notable.map(&:name)
    later = summary.with(locks: lock_windows(ENDED))
    assert_equal 2, later.lock_waits.ended_by("Carts#update").size
  end

  def test_what_it_waits_in
    primitives = {
      "Thread::Queue#pop" => "Queue", "Monitor#synchronize" => "Monitor", "Thread#join" => "Thread"
    }
    primitives.each do |called, expected|
      place = lock_place("A", "a.rb:1 A#b | #{called}", lock_ns: 5 * MS)
      assert_equal expected, lock_summary(locks: [place]).lock_waits.waits_at("A").primitive
    end
  end
end
