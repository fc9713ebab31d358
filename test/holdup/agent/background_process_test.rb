# frozen_string_literal: true

require "test_helper"
require "holdup/agent/background_process"
require "holdup/agent/child_launch"
require "support/pid_namespace"
require "support/wait_until"

class Holdup::BackgroundProcessTest < Minitest::Test
  include TemporaryFolder

  # What an application may do with its own children, beside a process of ours.
  PRELUDE = <<~RUBY
    $stdout.sync = true
    $LOAD_PATH.unshift(#{File.expand_path("../../../lib", __dir__).dump})
    require "rbconfig"
    require "holdup/agent/child_launch"
    require "holdup/agent/background_process"
    #{WaitUntil::SCRIPT}

    # Runs the code in a Ruby next to this process, until the pipe is closed.
    def started(code = "$stdin.read", **options)
      input, $pipe = IO.pipe
      command = [RbConfig.ruby, "--disable=gems", "-e", code]
      launch = Holdup::ChildLaunch::Launch.new(environment: {}, command:, options:)
      Holdup::BackgroundProcess.start(launch, input:)
    ensure
      input.close
    end

    def children = File.read("/proc/self/task/\#{Process.pid}/children").split.map(&:to_i)

    def there?(pid) = File.exist?("/proc/\#{pid}") && File.read("/proc/\#{pid}/stat")[/\\) (.)/, 1] != "Z"

    def watcher = children.find { |pid| File.read("/proc/\#{pid}/comm") == "holdup-watcher\\n" }
  RUBY

  def application(script, **) = fresh_ruby(script, prelude: PRELUDE, **)

  WAITING = <<~RUBY
    signals = 0
    trap("CHLD") { signals += 1 }
    one = started
    p Process.waitall
    fork { exit!(3) }
    p Process.waitall.map { |_, status| status.exitstatus }
    fork { exit!(4) }
    statuses = []
    begin
      statuses << Process.wait2.last.exitstatus while true
    rescue Errno::ECHILD
      p statuses
    end
    p [there?(one.pid), signals > 0]
  RUBY

  def test_an_application_that_waits_for_all_its_children_does_not_wait_for_it
    assert_equal "[]\n[3]\n[4]\n[true, true]\n", application(WAITING)
  end

  # There an orphan would be a child of the application.
  def test_also_where_the_application_is_the_first_process_of_a_container
    skip "no PID name space can be made here" unless PidNamespace.command
    command = [*PidNamespace.command, RbConfig.ruby, "--disable=gems", "-e", PRELUDE + WAITING]
    said, status = Open3.capture2e({"RUBYOPT" => nil}, *command)
    assert_predicate status, :success?, said
    assert_equal "[]\n[3]\n[4]\n[true, true]\n", said
  end

  def test_neither_its_start_nor_its_end_sends_a_signal_or_sets_the_last_status
    said = application(<<~RUBY)
      signals = 0
      trap("CHLD") { signals += 1 }
      one = started
      $pipe.close
      one.wait
      p [signals, Process.last_status, children]
      one = started
      `true`
      p $?.exitstatus, Process.detach(fork { exit!(5) }).value.exitstatus, system("false")
      Thread.pass until signals == 3
      $pipe.close
      one.wait
      p [signals, $?.exitstatus, children]
    RUBY
    assert_equal "[0, nil, []]\n0\n5\nfalse\n[3, 1, []]\n", said
  end

  def test_tells_how_it_ended
    said = application(<<~RUBY)
      puts started("exit 3").wait, started("exit").wait, started("Process.kill(:KILL, Process.pid)").wait
      p started("exit 3").wait.failed?, started("exit").wait.failed?
    RUBY
    assert_equal "exit 3\nexit 0\nSIGKILL (signal 9)\ntrue\nfalse\n", said
  end

  def test_a_program_that_can_not_be_started_raises
    said = application(<<~RUBY)
      launch = Holdup::ChildLaunch::Launch.new(environment: {}, command: ["/nowhere/ruby"], options: {})
      begin
        Holdup::BackgroundProcess.start(launch, input: $stdin)
      rescue Errno::ENOENT => error
        puts error.message
      end
      begin
        started(chdir: "/nowhere")
      rescue Errno::ENOENT
        p children
      end
    RUBY
    assert_equal "No such file or directory - /nowhere/ruby\n[]\n", said
  end

  # Nobody else would hear of its end then.
  def test_when_its_watcher_is_killed_it_ends_and_both_are_replaced
    said = application(<<~'RUBY')
      trap("USR1") { $up = true }
      one = started("trap(:TERM) { exit! }; Process.kill(:USR1, #{Process.pid}); sleep")
      wait_until { $up && watcher }
      Process.kill(:KILL, watcher)
      puts one.wait
      wait_until { !there?(one.pid) }
      p children
    RUBY
    assert_equal "nobody knows how\n[]\n", said
  end

  # The watcher is a copy of the application, which may have a gigabyte.
  linux def test_its_watcher_keeps_neither_memory_nor_files_of_the_application
    said = application(<<~'RUBY')
      texts = Array.new(100) { "x" * 1_000_000 }
      objects = Array.new(1_000_000) { Object.new }
      file = File.open("/proc/self/stat")
      one = Thread.new { started }.value
      wait_until { watcher }
      files = -> { Dir.children("/proc/#{watcher}/fd") }
      resident_kb = -> { File.read("/proc/#{watcher}/status")[/VmRSS:\s+(\d+)/, 1].to_i }
      wait_until { resident_kb.call < 8000 && files.call.size == 1 }
      p files.call, File.readlink("/proc/#{watcher}/cwd")
      $pipe.close
      puts one.wait
      p [file, texts, objects].map(&:class)
    RUBY
    assert_equal "[\"3\"]\n\"/\"\nexit 0\n[File, Array, Array]\n", said
  end

  def test_it_starts_with_three_files_no_blocked_signal
    said = application(<<~RUBY)
      trap("USR1") {}
      listener, other = IO.pipe
      other.close_on_exec = false
      script = "exec >&2; ls /proc/$$/fd; grep SigBlk /proc/self/status; read line"
      one = started("exec('sh', '-c', \#{script.dump})")
      $pipe.close
      one.wait
      p [listener, other].map(&:class)
    RUBY
    assert_equal ["0", "1", "2", "SigBlk:\t0000000000000000", "[IO, IO]"], said.lines(chomp: true).sort
  end

  def test_its_environment_is_that_of_the_application_with_changes
    said = fresh_ruby(<<~RUBY, prelude: PRELUDE, env: {"KEPT" => "a", "GONE" => "b"})
      input, pipe = IO.pipe
      command = [RbConfig.ruby, "--disable=gems", "-e", 'warn ENV.values_at("KEPT", "GONE", "NEW").inspect']
      environment = {"GONE" => nil, "NEW" => "c=d"}
      launch = Holdup::ChildLaunch::Launch.new(environment:, command:, options: {})
      Holdup::BackgroundProcess.start(launch, input:).wait
    RUBY
    assert_equal "[\"a\", nil, \"c=d\"]\n", said
  end

  # It does not know the process that the one before it has started.
  def test_after_an_exec_the_next_start_clears_up
    script = <<~'RUBY'
      pids = children
      if pids.empty?
        started
        exec(RbConfig.ruby, "--disable=gems", "-e", File.read(ARGV.first), *ARGV)
      end
      wait_until { File.read("/proc/#{pids.first}/stat")[/\) (.)/, 1] == "Z" }
      one = started
      p children.size, children == pids
      $pipe.close
      one.wait
      p children
    RUBY
    path = File.join(folder, "script.rb")
    File.write(path, PRELUDE + script)
    said, status = Open3.capture2e({"RUBYOPT" => nil}, RbConfig.ruby, "--disable=gems", path, path)
    assert_predicate status, :success?, said
    assert_equal "1\nfalse\n[]\n", said
  end

  def test_without_the_extension_it_is_an_ordinary_child
    said = application(<<~RUBY)
      Holdup.send(:remove_const, :ProcessWatcher)
      puts started("exit 3").wait, started("Process.kill(:KILL, Process.pid)").wait
      one = started("exit")
      Process.wait
      puts one.wait
    RUBY
    assert_equal "exit 3\nSIGKILL (signal 9)\nnobody knows how\n", said
  end
end
