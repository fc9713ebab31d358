# frozen_string_literal: true

require "test_helper"
require "holdup/agent/servers"
require "contracts/loaded_prefork_contract"

# What the real server does is in test/integration/pitchfork_test.rb; this is a process in which it is only
# loaded.
class Holdup::Servers::PitchforkTest < Minitest::Test
  include LoadedPreforkContract

  def server_gem = "pitchfork"

  def server_module = "Pitchfork"
end
