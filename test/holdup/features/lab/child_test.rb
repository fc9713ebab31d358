# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "open3"
require "rbconfig"

class Holdup::Lab::ChildTest < Minitest::Test
  include TemporaryFolder

  def child(*command, **options)
    Holdup::Lab::Child.new(*command, log: File.join(folder, "log"), **options)
  end

  def dead?(pid)
    !File.exist?("/proc/#{pid}") || File.read("/proc/#{pid}/stat").match?(/\) Z/)
  end

  def group_of(path)
    state, _, group = File.read(path).rpartition(")").last.split
    group.to_i unless state == "Z"
  rescue SystemCallError
    nil
  end

  def test_ends_with_all_that_it_started
    started = child("sh", "-c", "sleep 600 & echo $!; wait")
    wait_until { started.last_words.end_with?("\n") }
    assert_predicate started, :alive?
    started.stop
    refute_predicate started, :alive?
    assert(wait_until { dead?(Integer(started.last_words)) })
  end

  def test_one_that_does_not_end_when_asked_has_to
    started = child("sh", "-c", "trap '' TERM; echo ready; while :; do sleep 0.01; done", grace_s: 0.1)
    wait_until { started.last_words.include?("ready") }
    started.stop
    refute_predicate started, :alive?
    assert(wait_until { Dir["/proc/[0-9]*/stat"].none? { |path| group_of(path) == started.pid } })
  end

  SPAWN = <<~RUBY
    require "holdup/loader"
    spawn = Process.method(:spawn)
    Process.define_singleton_method(:spawn) do |*arguments, **options|
      pid = spawn.call(*arguments, **options)
      puts pid
      Process.kill(:INT, Process.pid)
      pid
    end
    $stdout.sync = true
    begin
      Holdup::Lab::Child.new("sleep", "600", log: File::NULL)
    rescue Interrupt
      puts "interrupted"
    end
  RUBY

  # Between the start of a process and the note of its pid, Ctrl-C would leave it behind.
  def test_ctrl_c_while_it_starts_leaves_nothing_behind
    pid, said = Open3.capture2e(RbConfig.ruby, "-I#{File.expand_path("../../../../lib", __dir__)}", "-e",
      SPAWN).first.lines(chomp: true)
    assert_equal "interrupted", said
    assert(wait_until { dead?(Integer(pid)) })
  end

  # An error's first line has a message behind the place; the others are of no use to who wants to know what
  # happened.
  def test_its_last_words_leave_out_the_backtrace
    said = "app.rb:3:in 'Object#boot': no \xFFdatabase (RuntimeError)\n"
    callers = Array.new(20) { |line|
      "\tfrom /gems/a-1/lib/a.rb:#{line}:in 'block in A.b'\n/gems/b.rb:1:in `c'\n"
    }
    File.write(File.join(folder, "said"), said + callers.join)
    started = child("cat", File.join(folder, "said"))
    wait_until { !started.alive? }
    assert_equal said.scrub, started.last_words
  end

  def test_gets_environment_and_folder_and_tells_its_last_words
    started = child("sh", "-c", "echo one; echo $HELLO; pwd", env: {"HELLO" => "world"}, folder:)
    wait_until { !started.alive? }
    assert_equal "world\n#{File.realpath(folder)}\n", started.last_words(2)
  end

  def test_has_a_process_group_of_its_own
    started = child("sleep", "600")
    assert_equal started.pid, Process.getpgid(started.pid)
    refute_equal Process.getpgrp, Process.getpgid(started.pid)
  ensure
    started.stop
  end

  def test_a_program_that_is_not_there
    assert_raises(Errno::ENOENT) { child("/nonexistent/program") }
  end
end
