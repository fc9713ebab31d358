# frozen_string_literal: true

require "test_helper"
require "contracts/deaths_contract"
require "puma/const"

class PumaDeathsTest < Minitest::Test
  include DeathsContract

  repeated_everywhere :test_what_was_in_flight_is_in_the_autopsy_of_a_killed_worker_once

  def server_command = %w[bundle exec ruby -W:deprecated -S puma -C puma.rb ledger.ru]

  def kills = DeathsContract.kills(4, thorough: 20, nightly: 334)

  def workers = 2

  def threads = 5

  def restart_signal = :USR1

  def noted? = Puma::Const::VERSION.to_i >= 7
end
