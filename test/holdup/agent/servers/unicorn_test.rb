# frozen_string_literal: true

require "test_helper"
require "holdup/agent/servers"
require "contracts/loaded_prefork_contract"

# What the real server does is in test/integration/unicorn_test.rb; this is a process in which it is only
# loaded.
class Holdup::Servers::UnicornTest < Minitest::Test
  include LoadedPreforkContract

  def server_gem = "unicorn"

  def server_module = "Unicorn"
end
