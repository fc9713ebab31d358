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

  def may_work?(name, environment: "production")
    Holdup::RailsProgram.new(name:, environment:, server: -> { false }).may_work?
  end

  # Of commands and tasks: test/integration/rake_worker_test.rb.
  def test_what_a_person_types_into_is_never_a_worker
    refute may_work?("/usr/lib/ruby/bin/irb")
    refute may_work?("pry")
    refute may_work?("rake", environment: "test")
  end

  def test_knows_the_tasks_of_job_runners
    tasks = %w[jobs:work app:jobs:work jobs:work[a,b] jobs:workoff delayed:work resque:work resque:workers
      que:work qc:work solid_queue:start good_job:start sneakers:run backburner:work
      backburner:threads_on_fork:work]
    tasks.each { |task| assert_match Holdup::RailsProgram::JOB_TASK, task }
    others = %w[jobs:clear myjobs:work jobs:works db:migrate resque:scheduler solid_queue:install]
    others.each { |task| refute_match Holdup::RailsProgram::JOB_TASK, task }
  end

  def test_a_running_server_is_not_a_tool_under_any_program_name
    assert_nil tool("bin/rails", server: true)
  end

  def test_the_test_environment_takes_no_traffic_even_in_a_server
    assert_equal "the test environment", tool("puma", environment: "test", server: true)
  end
end
