# frozen_string_literal: true

require "test_helper"
require "contracts/store_methods_contract"
require "holdup/loader"

class Holdup::Store::WriterTest < Minitest::Test
  include StoreMethodsContract

  def contract = Holdup::Store::Writer

  def defaults = []
end
