# frozen_string_literal: true

require "test_helper"
require "open3"
require "tmpdir"
require "holdup/agent/runtime/collector_supervisor"
require "holdup/segment/directory"

class Holdup::Collector
  class CollectorSupervisorTest < Minitest::Test
    include FreshRuby

    # Tells how it was started, then waits for its input to end, as a collector does.
    CHILD = <<~'RUBY'
      File.write(File.join(ARGV[2], "started-#{Process.pid}"), [ARGV, ENV["RUBYOPT"]].inspect)
      trap("TERM") { exit! }
      $stdin.read
    RUBY

    def setup
      @dir = Dir.mktmpdir("holdup-supervisor")
      @log = CollectedLog.new
      @supervisors = []
    end

    def teardown
      @supervisors.each(&:stop)
      FileUtils.rm_rf(@dir)
    end

    def test_starts_the_command_and_ends_it
      one = supervisor.start
      pid = wait_until { started.first }
      assert_match(/"collect", "--dir", "#{@dir}", "--parent", "#{Process.pid}"/, File.read(file(pid)))
      one.stop
      refute alive?(pid)
      assert_empty @log.lines
    end

    def test_a_fork_waits_until_the_collector_is_there
      one = supervisor.start
      one.wait_until_spawned(patience_s: WaitUntil::PATIENCE_S)
      assert alive?(one.pid)
    end

    # Arguments are seen by all users of the machine.
    def test_a_password_of_the_store_is_no_argument
      url = "postgres://me:secret@db/holdup"
      supervisor(store: url).start
      pid = wait_until { started.first }
      refute_includes File.read("/proc/#{pid}/cmdline"), "secret"
      assert_includes File.read("/proc/#{pid}/environ").split("\0"), "HOLDUP_STORE=#{url}"
    end

    # Also where the application's options start YJIT.
    def test_its_ruby_starts_without_a_jit_and_compiles_what_is_called_a_thousand_times
      script = <<~RUBY
        enabled = [RubyVM::YJIT.enabled?]
        RubyVM::YJIT.enable
        def often = nil
        before = RubyVM::YJIT.runtime_stats[:compiled_iseq_count].to_i
        999.times { often }
        puts [*enabled, RubyVM::YJIT.enabled?, RubyVM::YJIT.runtime_stats[:compiled_iseq_count].to_i - before]
        2.times { often }
        puts RubyVM::YJIT.runtime_stats[:compiled_iseq_count].to_i - before
      RUBY
      one = Holdup::Runtime::CollectorSupervisor
      environment = one::ENVIRONMENT.merge("RUBYOPT" => "--yjit")
      said, status = Open3.capture2e(environment, RbConfig.ruby, *one::OPTIONS, "-e", script)
      assert_predicate status, :success?
      assert_equal %w[false true 0 1], said.lines(chomp: true)
    end

    # "Only one JIT can be enabled at the same time": the collector would end when it starts.
    def test_no_jit_of_the_application_reaches_it
      supervisor(env: {"RUBYOPT" => "-W0 --zjit --zjit-mem-size=64", "RUBY_ZJIT_ENABLE" => "1"}).start
      pid = wait_until { started.first }
      assert_match(/"-W0"\]\z/, File.read(file(pid)))
      environment = File.read("/proc/#{pid}/environ").split("\0")
      assert_empty environment.grep(/\ARUBY_.*JIT/) - ["RUBY_YJIT_ENABLE=0"]
    end

    def test_starts_it_again_when_it_dies
      supervisor.start
      first = wait_until { started.first }
      Process.kill(:KILL, first)
      second = wait_until { started.find { |pid| pid != first } }
      assert alive?(second)
      assert_match(/the collector ended \(SIGKILL.*started again in 0.01 s, nothing is lost/,
        @log.lines.first)
    end

    def test_detached_it_ends_by_itself
      one = supervisor.start
      pid = wait_until { started.first }
      one.detach
      wait_until { !alive?(pid) }
      assert_equal [pid], started
    end

    def test_left_alone_it_lives_on_without_a_thread_of_ours
      before = Thread.list
      one = supervisor.start
      pid = wait_until { started.first }
      one.leave
      wait_until { (Thread.list - before).empty? }
      assert alive?(pid)
      one.detach
      wait_until { !alive?(pid) }
      assert_equal [pid], started
    end

    def test_a_fork_has_no_say
      one = supervisor.start
      pid = wait_until { started.first }
      Process.wait(fork {
        one.stop
        one.detach
        exit!
      })
      assert alive?(pid)
    end

    def test_what_the_code_sets_is_in_its_environment
      configuration = Holdup::Configuration.build do |config|
        config.prometheus = 9395
        config.statsd = :on
        config.scaling = "p95=300ms"
        config.spool = "/spool"
      end
      expected = {"HOLDUP_PROMETHEUS" => configuration.exports.first.to_s,
                  "HOLDUP_STATSD" => configuration.exports.last.to_s,
                  "HOLDUP_SCALING" => configuration.scaling_goal.to_s,
                  "HOLDUP_SPOOL" => "/spool", "HOLDUP_SPOOL_MIB" => "64"}
      supervisor(settings: configuration.of_collector).start
      pid = wait_until { started.first }
      environment = File.read("/proc/#{pid}/environ").split("\0").to_h { |pair| pair.split("=", 2) }
      assert_equal expected, environment.slice(*expected.keys, "HOLDUP_HOST")
    end

    def test_the_collector_is_not_measured
      supervisor(env: {"RUBYOPT" => "-W0 -r/gems/holdup/agent/exec_boot -rset"}).start
      pid = wait_until { started.first }
      assert_match(/"-W0 -rset"/, File.read(file(pid)))
    end

    def test_survives_a_missing_command
      one = Holdup::Runtime::CollectorSupervisor.new(dir: @dir, store: nil, log: @log,
        command: ["/nowhere/ruby"], first_wait_s: 60)
      @supervisors << one.start
      wait_until { @log.lines.any? }
      assert_match(/No such file/, @log.lines.first)
    end

    UNLOADABLE = <<~'RUBY'
      File.write(File.join(ARGV[2], "started-#{Process.pid}"), ARGV.inspect)
      exit 3
    RUBY

    def test_a_collector_that_lacks_a_library_is_tried_again_seldom_and_says_it_once
      command = [RbConfig.ruby, "--disable=gems", "-e", UNLOADABLE]
      one = Holdup::Runtime::CollectorSupervisor.new(dir: @dir, store: nil, log: @log, command:,
        first_wait_s: 600, longest_wait_s: 0.01)
      @supervisors << one.start
      wait_until { started.size > 2 }
      output = started.map { |pid| File.read(file(pid)).include?("--again") }
      assert_equal 1, output.count(false)
      assert_predicate one, :unloadable?
      assert_empty @log.lines
    end

    def test_a_log_may_be_callable
      lines = []
      @supervisors << Holdup::Runtime::CollectorSupervisor.new(dir: @dir, store: nil,
        log: lines.method(:push), command: ["/bin/false"], first_wait_s: 60).start
      assert wait_until { lines.first }
    end

    def test_it_loads_no_gem_and_none_of_the_other_half
      lib = File.expand_path("../../../../lib", __dir__)
      script = <<~RUBY
        before = $LOADED_FEATURES.dup
        require "#{lib}/holdup/agent/runtime/collector_supervisor"
        puts $LOADED_FEATURES - before
      RUBY
      loaded = fresh_ruby(script, prelude: "").lines.map { |line| File.basename(line.chomp) }
      assert_equal %w[utf8.rb errors.rb ruby_version.rb holdup.so probe.rb background_process.rb
        child_environment.rb working_folder.rb child_launch.rb version.rb main_gem.rb
        collector_supervisor.rb],
        loaded - ["rbconfig.rb"]
    end

    private

    def supervisor(store: nil, **options)
      command = [RbConfig.ruby, "--disable=gems", "-e", CHILD]
      options = {first_wait_s: 0.01, **options}
      supervisor = Holdup::Runtime::CollectorSupervisor.new(dir: @dir, store:, log: @log, command:, **options)
      @supervisors << supervisor
      supervisor
    end

    def started
      Dir["#{@dir}/started-*"].reject { |path| File.empty?(path) }.map { |path| path[/\d+\z/].to_i }
    end

    def file(pid)
      File.join(@dir, "started-#{pid}")
    end

    def alive?(pid)
      !Holdup::Segment::OwnerProcess.new.start_of(pid).nil?
    end
  end
end
