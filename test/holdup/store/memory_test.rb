# frozen_string_literal: true

require "test_helper"
require "contracts/store_contract"
require "holdup/loader"

class Holdup::Store::MemoryTest < Minitest::Test
  include StoreContract

  def new_store = Holdup::Store::Memory.new
end
