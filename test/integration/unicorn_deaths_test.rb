# frozen_string_literal: true

require "test_helper"
require "contracts/deaths_contract"

class UnicornDeathsTest < Minitest::Test
  include DeathsContract

  repeated_nightly :test_what_was_in_flight_is_in_the_autopsy_of_a_killed_worker_once

  def server_command = %w[bundle exec ruby -W:deprecated -S unicorn -c unicorn.rb ledger.ru]

  def kills = DeathsContract.kills(8, nightly: 334)

  def workers = 4

  def threads = 1

  def restart_signal = :HUP

  def noted? = true
end
