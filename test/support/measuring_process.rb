# frozen_string_literal: true

require "open3"
require "rbconfig"
require_relative "collecting"
require_relative "wait_until"

# A real process that measures, and does what the test tells it, line by line.
class MeasuringProcess
  include WaitUntil

  # "measure N"; "eval CODE". It answers each line with its pid and the value.
  PROGRAM = <<~RUBY
    $stdout.sync = true
    require "holdup"
    Holdup.start
    def measure(count) = count.times { Holdup.measure("Work") { :done } }
    puts "ready"
    while (line = $stdin.gets)
      value = eval(line)
      puts "\#{Process.pid} \#{value.inspect}"
    end
  RUBY

  # @return [Integer] as this process table has it
  attr_reader :pid

  # @param within [Array<String>] a command that runs it, such as `unshare`
  # @param settings [Hash{String => String}] variables of its environment
  def initialize(dir, log:, within: [], settings: {}, options: [])
    environment = {"HOLDUP_DIR" => dir, "HOLDUP_COLLECTOR" => "off", "HOLDUP_TICK_SECONDS" => "0.1",
                   **settings}
    command = [*within, RbConfig.ruby, *options, "-W:no-experimental", "-I#{Collecting::LIB}", "-e", PROGRAM]
    @log = log
    @in, @out, @thread = Open3.popen2(environment, *command, err: log)
    @pid = @thread.pid
    @out.gets
  end

  # @param code [String] one line of Ruby
  # @return [String] what it gives, as `inspect` shows it
  def run(code)
    @in.puts(code)
    answer = @out.gets or raise "the process has ended:\n#{lines.join}"
    answer.chomp.partition(" ").last
  end

  def measure(count) = run("measure(#{count})")

  # Lines of Holdup in its log.
  def lines = File.readlines(@log).grep(/\Aholdup:/)

  def signal(name, pid = @pid) = Process.kill(name, pid)

  # Ends in an orderly way, or by a signal.
  def end_by(name = nil)
    signal(name) if name
    @in.close unless @in.closed?
    @thread.value
    @out.close unless @out.closed?
  end

  def alive? = @thread.alive?
end
