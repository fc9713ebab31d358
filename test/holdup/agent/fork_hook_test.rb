# frozen_string_literal: true

require "test_helper"

class Holdup::ForkHookTest < Minitest::Test
  # In a Ruby of its own: a hook stays for the life of a process.
  def in_fresh_ruby(script)
    fresh_ruby(<<~RUBY + script, prelude: "")
      require #{File.expand_path("../../../lib/holdup/agent/fork_hook", __dir__).dump}
      $stdout.sync = true
      Holdup::ForkHook.install { puts "child" }
    RUBY
  end

  def test_every_kind_of_fork_runs_it_once_in_the_child_only
    calls = {
      "fork { exit! }; Process.wait" => 1,
      "Process.fork { exit! }; Process.wait" => 1,
      "(pid = fork) ? Process.wait(pid) : exit!" => 1,
      "system('true'); spawn('true'); Process.wait" => 0
    }
    calls.each do |script, times|
      assert_equal times, in_fresh_ruby(script).scan("child").size, script
    end
    assert_equal "child|",
      in_fresh_ruby("io = IO.popen('-'); io ? puts(io.read.chomp + '|') : exit!").delete("\n")
  end

  def test_a_daemon_is_a_new_process_too
    script = <<~RUBY
      reader, writer = IO.pipe
      fork { $stdout.reopen(writer); Process.daemon(true, true); exit! }
      writer.close
      puts reader.read
      Process.wait
    RUBY
    assert_equal 2, in_fresh_ruby(script).scan("child").size
  end

  def test_gives_the_pid_to_the_parent
    assert_match(/true/, in_fresh_ruby("pid = fork { exit! }; puts Process.wait == pid"))
  end

  def test_calls_before_in_the_parent
    assert_equal "before|child|parent|", in_fresh_ruby(<<~RUBY).delete("\n")
      parent = Process.pid
      Holdup::ForkHook.install(before: -> { print "before|" if Process.pid == parent }) { nil }
      fork { print "|"; exit! }
      Process.wait
      print "parent|"
    RUBY
  end

  def test_a_child_of_a_child
    assert_equal 2,
      in_fresh_ruby("fork { fork { exit! }; Process.wait; exit! }; Process.wait").scan("child").size
  end
end
