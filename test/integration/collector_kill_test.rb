# frozen_string_literal: true

require "test_helper"
require "contracts/collector_kill_contract"

class CollectorKillTest < Minitest::Test
  include CollectorKillContract

  def store_url = File.join(@dir, "store.sqlite3")
end
