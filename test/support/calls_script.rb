# frozen_string_literal: true

require "open3"
require "tmpdir"
require "holdup/loader"
require_relative "collecting"
require_relative "command_line"

# Scripts that call other systems in a process of their own, with a folder and a store of their own, and what
# the store has of their calls.
module CallsScript
  LOAD_PATH = "$LOAD_PATH.unshift(#{Collecting::LIB.dump})\n"

  # Says in the answer how long it has taken, up to the answer.
  SERVER = <<~RUBY
    require "socket"
    server = TCPServer.new("127.0.0.1", 0)
    $stdout.sync = true
    puts server.addr[1]
    loop do
      client = server.accept
      line = client.gets
      from = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
      nil until client.gets == "\\r\\n"
      sleep 0.1 if line.include?("/slow")
      ns = (Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) - from).to_s
      head = "HTTP/1.1 200 OK\\r\\nConnection: close\\r\\nContent-Length: \#{ns.size}"
      client.write("\#{head}\\r\\n\\r\\n\#{ns}")
      client.close
    end
  RUBY

  def setup
    @root = Dir.mktmpdir
  end

  def teardown = FileUtils.remove_entry(@root)

  def environment
    {"HOLDUP_DIR" => File.join(@root, "segments"), "HOLDUP_STORE" => "sqlite://#{@root}/store.sqlite3",
     "HOLDUP_COLLECTOR" => "off", "HOLDUP_LOG" => "off"}
  end

  # @return [String] what it printed
  def script(text, **env)
    output, status = Open3.capture2e(environment.merge(env.transform_keys(&:to_s)), "timeout",
      WaitUntil::PATIENCE_S.to_s, RbConfig.ruby, "-W:no-experimental", "-e", LOAD_PATH + text)
    assert status.success?, output
    output
  end

  def collect
    system({**CommandLine::OWN_LOAD_PATH, **environment}, RbConfig.ruby, CommandLine::EXE, "collect",
      "--once", exception: true)
  end

  # @return [Hash{String => Array<CallLine>}] by name of the unit
  def calls
    collect
    store = Holdup::Store.open(environment["HOLDUP_STORE"])
    now = Time.now.to_i
    summary = Holdup::Queries::LoadSummary.call(store, from_s: now - 600, to_s: now + 120)
    @summary = summary
    @report = Holdup::View::Text.new(Holdup::Report::FullReport.new(summary).page).call
    summary.calls.to_h { |unit| [unit.name, unit.lines] }
  ensure
    store&.close
  end

  # @return [Integer] ns for which the unit of that name held the GVL without a CPU, as of the last `calls`
  def starved_ns(name) = @summary.rows.find { |row| row.name == name }.sum(:starved_ns)

  def assert_adds_up(line)
    assert_equal 1, line.count
    assert_equal line.elapsed.sum, line.remote.sum + line.stalled_ns + line.gc_ns + line.ruby_ns
  end
end
