# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "contracts/pair_table_contract"
require "support/lock_windows"

class Holdup::Report::Sections::LockPairTableTest < Minitest::Test
  include LockWindows
  include PairTableContract

  def table = Holdup::Report::Sections::LockPairTable

  def parts = [:locks]

  def summary = lock_summary

  def calm = lock_summary({"Carts#update" => {lock: 0}})

  def without = [calm, lock_summary(locks: [])]

  def rows
    [["Carts#update", "Carts#update", "88.0", "2.11 s"], ["Carts#update", "PriceSync", "12.0", "288 ms"],
      ["Stock#show", "(unknown)", "100", "160 ms"]]
  end

  def test_says_where_they_wait
    assert_includes section.notes, "Carts#update waits longest in Cart#update, app/models/cart.rb:12 (Mutex)."
    assert_includes section(language: "ja").notes,
      "Carts#update が最も長く待つ場所は Cart#update（app/models/cart.rb:12）です（Mutex）。"
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
