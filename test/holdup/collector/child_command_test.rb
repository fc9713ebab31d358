# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "open3"

class Holdup::Collector::ChildCommandTest < Minitest::Test
  def teardown = @child&.close

  # @param script [String] of Ruby
  def child(script, command: [RbConfig.ruby, "--disable=gems", "-e", script, "--"])
    @child = Holdup::Collector::ChildCommand.new(command, cpu_s: 60, most_bytes: 70_000)
  end

  # @return [String] an option of another JIT than YJIT that this Ruby knows
  def other_jit
    %w[--zjit --rjit].find { |option| system(RbConfig.ruby, option, "-e", "", err: File::NULL) } or
      skip "this Ruby has no second JIT"
  end

  def said_by(script, env)
    lib = File.expand_path("../../../lib", __dir__)
    said, = Open3.capture2e({**OtherBundle::NONE, **env}, RbConfig.ruby, "-I#{lib}", "-e", script)
    said
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

  # Two JITs at once end a Ruby when it starts.
  def test_a_jit_of_this_process_is_not_the_childs
    script = <<~RUBY
      require "holdup/agent/child_launch"
      require "holdup/collector/child_command"
      command = [RbConfig.ruby, "-e", "print RubyVM::YJIT.enabled?"]
      child = Holdup::Collector::ChildCommand.new(command, cpu_s: 60, most_bytes: 100)
      child.start(environment: {})
      IO.select(nil, nil, nil, 0.01) until (answer = child.poll)
      puts answer.text, answer.messages
    RUBY
    assert_equal "true\n\n", said_by(script, {"RUBYOPT" => "-W0 #{other_jit}"})
  end

  def test_the_end_of_what_it_says_is_kept
    child('$stderr.puts "x" * 100_000, "the last line"; warn "\tfrom a.rb:1:in \'b\'"; exit 3')
    @child.start(environment: {})
    answer = wait_until { @child.poll }
    assert_equal "(exit 3); it said: the last line", answer.why
    assert_operator answer.messages.bytesize, :<=, 4_096
  end

  def test_an_exception_is_said_by_its_message
    child("def a = raise('not a number')\ndef b = a\nb")
    @child.start(environment: {})
    assert_match(/\A\(exit 1\); it said: .*not a number \(RuntimeError\)\z/, wait_until { @child.poll }.why)
  end

  def test_a_silent_end_is_to_be_repeated_by_hand
    child("exit 3")
    @child.start(environment: {})
    assert_equal "(exit 3); run it by hand to see why", wait_until { @child.poll }.why
  end

  def test_an_application_may_reap_it
    child("print 1")
    @child.start(environment: {})
    Process.wait(@child.pid)
    answer = wait_until { @child.poll }
    assert_equal ["1", nil], [answer.text, answer.status]
  end

  def test_a_command_that_is_not_there
    child("", command: ["/nowhere/program"])
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
