# frozen_string_literal: true

require "test_helper"
require "holdup/agent/rails_program"

# Real servers, consoles and tasks: test/integration/rails_test.rb.
class Holdup::RailsProgramTest < Minitest::Test
  def tool(name, environment: "production", server: false)
    Holdup::RailsProgram.new(name:, environment:, server: -> { server }).tool
  end

  def test_knows_tools_by_their_program
    assert_equal "`rails`", tool("/srv/shop/bin/rails")
    assert_equal "`rake`", tool("rake")
    assert_equal "`irb`", tool("/usr/lib/ruby/bin/irb")
    assert_equal "`spring`", tool("spring app    | shop | started 3 secs ago | development mode")
  end

  def test_every_other_program_takes_requests_or_jobs
    assert_nil tool("/usr/bin/puma")
    assert_nil tool("puma: cluster worker 0: 812 [shop]")
    assert_nil tool("bin/rails-worker")
    assert_nil tool("-e")
  end

  def test_a_running_server_is_not_a_tool_under_any_program_name
    assert_nil tool("bin/rails", server: true)
  end

  def test_the_test_environment_takes_no_traffic_even_in_a_server
    assert_equal "the test environment", tool("puma", environment: "test", server: true)
  end
end
