# frozen_string_literal: true

require "test_helper"
require "contracts/store_contract"
require "holdup/loader"

class Holdup::Store::SqlTest < Minitest::Test
  include TemporaryFolder
  include StoreContract

  def new_store
    @stores = @stores.to_i + 1
    Holdup::Store.open("sqlite://#{folder}/#{@stores}.sqlite3")
  end
end
