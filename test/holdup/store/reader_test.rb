# frozen_string_literal: true

require "test_helper"
require "contracts/store_methods_contract"
require "holdup/loader"

class Holdup::Store::ReaderTest < Minitest::Test
  include StoreMethodsContract

  def contract = Holdup::Store::Reader

  # Those that a store may take from the contract as they are.
  def defaults = %i[part? finest_s step_sums]
end
