# frozen_string_literal: true

require "test_helper"

# The tests' own servers: one that CRuby hangs is distinguished from one that fails.
class ServedAppTest < Minitest::Test
  SERVER = <<~RUBY
    require "socket"
    trap("TERM") { Thread.new { %s } }
    server = TCPServer.new("127.0.0.1", Integer(ENV.fetch("PORT")))
    loop do
      client = server.accept
      client.readpartial(1000)
      client.write("HTTP/1.1 200 OK\\r\\nConnection: close\\r\\nContent-Length: 0\\r\\n\\r\\n")
      client.close
    end
  RUBY

  def serve(at_stop, &)
    ServedApp.new(RbConfig.ruby, "--disable=gems", "-e", format(SERVER, at_stop), app: "plain").run(&)
  end

  def test_a_server_that_makes_no_progress_is_stuck
    checks = []
    serve("sleep") do |app|
      app.define_singleton_method(:progress) { super().tap { |progress| checks << progress } }
      assert_raises(ServedApp::Stuck) { app.stop }
    end
    assert_equal 2, checks.size, "found at the first look"
  end

  def test_a_server_whose_orphans_nobody_has_reaped_is_waited_for
    serve("sleep 0.5; exit!(0)") do |app|
      orphan = {pid: 1 << 30, parent: 1, state: "Z"}
      app.define_singleton_method(:processes) { super() << orphan }
      assert_predicate app.stop(idle_s: 0.1), :success?
    end
  end

  def test_what_never_comes_is_reported_with_all_processes
    serve("exit!") do |app|
      error = assert_raises(RuntimeError) { app.wait(0.01) { false } }
      assert_match(/nothing after 0.01 s:\n\{.*#{app.pid}.*threads/, error.message)
    end
  end

  def test_a_server_with_a_child_that_never_leaves_fork_is_stuck
    serve("exit!") do |app|
      app.define_singleton_method(:sleeps) { |_pid| {threads: 1, in: "futex_do_wait"} }
      assert_raises(ServedApp::Stuck) { app.wait(0.01) { false } }
    end
  end

  def test_a_server_that_computes_while_it_stops_is_waited_for
    serve("loop { exit!(0) if Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) > 0.5 }") do |app|
      assert_predicate app.stop, :success?
    end
  end

  def test_servers_of_other_tests_have_other_ports
    reader, writer = IO.pipe
    child = fork do
      srand(1)
      writer.puts(FreePorts.take)
      sleep
    end
    theirs = reader.gets.to_i
    srand(1)
    refute_equal theirs, FreePorts.take
  ensure
    Process.kill(:KILL, child)
    Process.wait(child)
  end
end
