# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/lock_windows"

class Holdup::Report::Sections::LockPairTableTest < Minitest::Test
  include LockWindows

  def section(summary = lock_summary, language: "en", limit: 10)
    words = Holdup::View::Words.new(language)
    Holdup::Report::Sections::LockPairTable.new(summary, words:, limit:).call
  end

  def test_each_pair_with_its_share_of_the_victims_waits
    assert_equal [["Carts#update", "Carts#update", "88.0", "2.11 s"],
      ["Carts#update", "PriceSync", "12.0", "288 ms"],
      ["Stock#show", "(unknown)", "100", "160 ms"]], section.rows
    assert_equal 3, section(language: "ja").rows.size
  end

  def test_says_where_they_wait
    assert_includes section.notes, "Carts#update waits longest in Cart#update, app/models/cart.rb:12 (Mutex)."
    assert_includes section(language: "ja").notes,
      "Carts#update が最も長く待つ場所は Cart#update（app/models/cart.rb:12）です（Mutex）。"
  end

  def test_the_longest_waits_when_there_are_more
    few = section(limit: 1)
    assert_equal 1, few.rows.size
    assert_match(/2/, few.notes.first)
  end

  def test_nothing_without_waits_or_pairs
    assert_nil section(lock_summary(locks: []))
    assert_nil section(lock_summary({"Carts#update" => {lock: 0}}))
  end

  def test_needs_the_locks_only_where_some_wait_for_them
    assert_equal [:locks], Holdup::Report::Sections::LockPairTable.parts(lock_summary)
    calm = lock_summary({"Carts#update" => {lock: 0}})
    assert_empty Holdup::Report::Sections::LockPairTable.parts(calm)
  end

  def test_json_has_all_pairs_and_places
    found = Holdup::View::Json.new(lock_summary).to_h
    assert_equal [["Carts#update", "Carts#update", 0.88], ["PriceSync", "Carts#update", 0.12]],
      found[:lock_pairs].first(2).map { |pair| [pair[:causer][:name], pair[:victim][:name], pair[:share]] }
    assert_equal({name: "Carts#update", place: "app/models/cart.rb:12", method: "Cart#update",
      primitive: "Mutex", wait_ns: 500 * MS, ended_ns: 0, samples: 1}, found[:lock_places].first)
    ends = found[:lock_places].select { |place| place[:name] == "PriceSync" }
    assert_equal [50 * MS], ends.map { |place| place[:ended_ns] }
  end
end
