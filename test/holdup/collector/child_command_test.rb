# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Collector::ChildCommandTest < Minitest::Test
  def teardown = @child&.close

  # @param script [String] of Ruby
  def child(script, command: [RbConfig.ruby, "--disable=gems", "-e", script, "--"])
    @child = Holdup::Collector::ChildCommand.new(command, cpu_s: 60, most_bytes: 70_000)
  end

  def test_gets_arguments_and_environment_and_answers_once
    child('print ARGV.first, ENV["ASKED"], Process.getpriority(Process::PRIO_PROCESS, 0)')
    @child.start("a ", environment: {"ASKED" => "b "})
    answer = wait_until { @child.poll }
    assert_equal "a b 10", answer.text
    assert_predicate answer.status, :success?
    refute_predicate @child, :running?
    assert_nil @child.poll
  end

  def test_an_answer_has_its_limit
    child('begin; print "x" * 1_000_000; rescue Errno::EPIPE; end')
    @child.start(environment: {})
    text = @child.instance_variable_get(:@text)
    wait_until { @child.poll.nil? && text.bytesize >= 70_000 }
    3.times { assert_nil @child.poll }
    assert_operator text.bytesize, :<, 140_000
  end

  def test_an_application_may_reap_it
    child("print 1")
    @child.start(environment: {})
    Process.wait(@child.pid)
    answer = wait_until { @child.poll }
    assert_equal ["1", nil], [answer.text, answer.status]
  end

  def test_a_command_that_is_not_there
    child("", command: ["/nonexistent"])
    assert_raises(Errno::ENOENT) { @child.start(environment: {}) }
    refute_predicate @child, :running?
  end

  def test_ends_it
    child("sleep")
    @child.start(environment: {})
    pid = @child.pid
    @child.close
    assert_raises(Errno::ESRCH) { Process.kill(0, pid) }
    @child.close
  end
end
