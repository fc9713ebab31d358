# frozen_string_literal: true

require "test_helper"
require "holdup"
require "holdup/agent/servers/puma"
require "puma"
require "puma/configuration"
require "puma/launcher"

class PumaTest < Minitest::Test
  # What the adapter calls.
  class RuntimeCalls
    attr_reader :guard, :identities, :calls
    attr_accessor :folder, :goal

    def initialize
      @guard = Holdup::Guard.new(log: CollectedLog.new, clock: Holdup::Clock.new)
      @identities = []
      @calls = []
    end

    def configuration = Struct.new(:segment_dir, :autopilot_goal).new(folder, goal)

    def follow_plans = @calls << [:follow_plans, (yield configuration)&.name]

    def let_go = @calls << [:let_go]

    def serve(identity) = @identities << identity

    def log = CollectedLog.new

    %i[wait_for_server start_collector end_collector stop].each do |name|
      define_method(name) { |*| @calls << name }
    end
  end

  # A server that has its pool, and says what it was asked.
  class Server
    attr_reader :options, :asked
    attr_accessor :app

    def initialize(options)
      @options = options
      @asked = []
      @app = :app
    end

    {backlog: 4, pool_capacity: 0, max_threads: 3, min_threads: 1, requests_count: 9}.each do |name, value|
      define_method(name) { (@asked << name) && value }
    end
  end

  def setup
    @runtime = RuntimeCalls.new
    @wrapped = 0
    config = Puma::Configuration.new { |user| user.threads(1, 3) && user.workers(2) }
    @launcher = Puma::Launcher.new(config.tap(&:load).tap(&:clamp), log_writer: Puma::LogWriter.strings)
    @adapter = Holdup::Servers::Puma.new(runtime: @runtime, middleware: ->(app) { (@wrapped += 1) && [app] },
      env: {})
    @adapter.attach(@launcher)
    @server = Server.new(@launcher.options)
  end

  def identity
    @adapter.serving(@server)
    @runtime.identities.last
  end

  def test_notes_how_workers_end
    folder = Dir.mktmpdir
    @runtime.folder = folder
    status = Process.wait2(Process.spawn("/bin/sh", "-c", "exit 3")).last
    worker = Struct.new(:pid, :process_status).new(status.pid, status)
    quiet = Puma::LogWriter.strings
    @launcher.config.run_hooks(:before_worker_fork, 0, quiet)
    assert_empty Dir.children(folder)
    @launcher.config.run_hooks(:after_worker_shutdown, worker, quiet)
    note = Holdup::ExitNote::ExitFiles.new(folder).find(status.pid, since_ns: 0)
    assert_equal [:exit, 3], note.to_h.values_at(:reason, :status)
  ensure
    FileUtils.rm_rf(folder)
  end

  def test_pool_without_what_resets_the_maxima_of_others
    assert_equal [Holdup::Servers::Pool.new(name: "web", max: 3, busy: 3, backlog: 4, served: 9)],
      identity.pools.call
    refute_includes @server.asked, :stats
  end

  def test_facts
    facts = {
      "server" => "puma",
      "server_version" => Puma::Const::VERSION,
      "threads" => 3,
      "min_threads" => 1,
      "workers" => 2,
      "preload" => true
    }
    assert_equal facts, identity.facts
  end

  # A single Puma, or a master that did not know the goal when it forked.
  def test_why_processes_can_not_be_changed
    @runtime.goal = Holdup::ConfigurationKeys::AutopilotGoal.parse("p95=1s processes=1..4")
    assert_equal :puma_master_unaware, identity.fixed
    @launcher.options[:workers] = 0
    assert_equal :puma_single, identity.fixed
  end

  def test_the_master_follows_plans_from_its_first_fork_on_if_the_goal_names_processes
    @runtime.folder = Dir.mktmpdir
    quiet = Puma::LogWriter.strings
    @launcher.config.run_hooks(:before_fork, nil, quiet)
    assert_equal [:wait_for_server, [:follow_plans, nil]], @runtime.calls
    @runtime.goal = Holdup::ConfigurationKeys::AutopilotGoal.parse("p95=1s processes=1..4")
    2.times { @launcher.config.run_hooks(:before_fork, nil, quiet) }
    assert_equal [[:follow_plans, "processes"]], @runtime.calls.drop(2)
    assert_nil identity.fixed
    assert_empty identity.live.call.map(&:name) & ["processes"]
    @adapter.working(0)
    assert_equal 2, identity.live.call.find { |lever| lever.name == "processes" }.configured
    identity.live.call.find { |lever| lever.name == "processes" }.set(3)
    assert_equal 3, @runtime.identities.last.facts["workers"]
  ensure
    FileUtils.rm_rf(@runtime.folder)
  end

  def test_worker_and_generation
    @adapter.working(0)
    assert_equal 0, identity.worker
    assert_equal 0, identity.generation
    2.times { @adapter.reforking }
    @adapter.working(1)
    assert_equal 1, identity.worker
    assert_equal 2, identity.generation
  end

  def test_no_thread_of_ours_runs_while_a_server_stops
    server = Puma::Server.new(->(_) {}, nil, @launcher.options)
    2.times { |index| server.public_send(%i[stop halt][index]) }
    assert_equal [[:let_go]], @runtime.calls.drop(1).uniq
  end

  def test_an_application_is_wrapped_once
    2.times { identity }
    assert_equal [1, [:app]], [@wrapped, @server.app]
  end

  def test_ignores_pumas_control_server
    @adapter.serving(Server.new({}))
    assert_empty @runtime.identities
  end

  def test_a_restart_in_phases_leaves_the_collector
    @launcher.events.fire_before_restart!
    assert_equal [:wait_for_server], @runtime.calls
    @adapter.restarting
    @launcher.events.fire_before_restart!
    assert_equal %i[wait_for_server end_collector stop], @runtime.calls
  end

  # Who starts it decides: a program with "puma" in its name has a command line of Puma.
  def test_levers_of_the_command_line
    program = $PROGRAM_NAME
    $PROGRAM_NAME = "puma"
    setup
    levers = identity.levers.call.to_h { |lever| [lever.name, lever] }
    assert_equal ["ARGV", "puma -t N:N", :puma_command],
      levers["threads"].to_h.values_at(:where, :write, :how)
    assert_equal ["puma -w N", :puma_command_workers], levers["processes"].to_h.values_at(:write, :how)
  ensure
    $PROGRAM_NAME = program
  end

  def test_levers
    levers = identity.levers.call.to_h { |lever| [lever.name, [lever.value, lever.live]] }
    expected = {
      "threads" => [3, false],
      "processes" => [2, true],
      "max_io_threads" => [0, false],
      "preload" => [true, false],
      "fork_worker" => [false, false]
    }
    assert_equal expected, levers
  end
end
