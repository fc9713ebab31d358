# frozen_string_literal: true

require "test_helper"
require "contracts/store_contract"
require "holdup/stores/memory"

class Holdup::Stores::MemoryTest < Minitest::Test
  include StoreContract

  def new_store = Holdup::Stores::Memory.new
end
