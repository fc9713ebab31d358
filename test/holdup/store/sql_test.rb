# frozen_string_literal: true

require "test_helper"
require "contracts/store_contract"
require "holdup/loader"

class Holdup::Store::SqlTest < Minitest::Test
  include TemporaryFolder
  include StoreContract

  # Of SQL, on the second Ruby the shorter ones say the same.
  one_ruby :test_any_order_of_commits_roll_ups_and_prunes_keeps_every_unit

  def new_store
    @stores = @stores.to_i + 1
    Holdup::Store.open("sqlite://#{folder}/#{@stores}.sqlite3")
  end
end
