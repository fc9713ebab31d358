# frozen_string_literal: true

require "json"
require "net/http"
require "open3"
require "rbconfig"
require "socket"
require "tmpdir"

# Tries what a developer has on a system where the tests of servers do not run: Puma with Holdup's plugin, and
# Sidekiq with the Redis of REDIS_URL. Both are measured, and a report names their requests and jobs.
#
#   REDIS_URL=redis://127.0.0.1:6379/0 ruby bin/support/try_servers.rb
class ServersTrial
  UNITS = 3
  PATIENCE_S = 120
  LOOK_S = 0.5
  PUMA = <<~RUBY
    plugin :holdup
    threads 2, 2
    bind "tcp://127.0.0.1:\#{ENV.fetch("PORT")}"
    app { |_env| [200, {"content-type" => "text/plain"}, ["ok"]] }
  RUBY
  JOBS = <<~RUBY
    require "holdup"
    class TryJob
      include Sidekiq::Job
      def perform = nil
    end
    Holdup.start
  RUBY
  PUSH = "#{UNITS}.times { TryJob.perform_async }"

  def initialize(folder)
    @folder = folder
    @port = TCPServer.open("127.0.0.1", 0) { |server| server.addr[1] }
    @env = {"HOLDUP_DIR" => File.join(folder, "segments"), "PORT" => @port.to_s, "RAILS_ENV" => "production",
            "HOLDUP_STORE" => "sqlite://#{folder}/store.sqlite3"}
    File.write(File.join(folder, "puma.rb"), PUMA)
    File.write(File.join(folder, "jobs.rb"), JOBS)
  end

  # @raise [RuntimeError] with the server's log
  # @return [void]
  def run
    serve("puma", "-C", "puma.rb", measures: "GET /orders") do
      wait { get }
      (UNITS - 1).times { get }
    end
    serve("sidekiq", "-r", "./jobs.rb", "-c", "2", measures: "TryJob") { push }
  end

  private

  # @param measures [String] name of the requests or jobs that a report has to count
  # @yield while the server runs
  def serve(gem, *arguments, measures:)
    @log = File.join(@folder, "#{gem}.log")
    pid = Process.spawn(@env, *program(gem), *arguments, chdir: @folder, in: File::NULL, out: @log,
      err: %i[child out])
    yield
    wait { reported(measures) == UNITS }
    puts "#{gem}: a report has #{UNITS} of #{measures}"
  ensure
    Process.kill(:TERM, pid)
    Process.wait(pid)
  end

  def program(gem, name = gem) = [RbConfig.ruby, Gem.bin_path(gem, name)]

  def get
    Net::HTTP.get_response("127.0.0.1", "/orders", @port)
  rescue SystemCallError
    nil # it does not listen yet
  end

  def push
    command = [RbConfig.ruby, "-r", "sidekiq", "-r", "./jobs.rb", "-e", PUSH]
    said, status = Open3.capture2e({**@env, "HOLDUP_ENABLED" => "false"}, *command, chdir: @folder)
    raise said unless status.success?
  end

  # @return [Integer] how often
  def reported(name)
    said, _, status = Open3.capture3(@env, *program("holdup"), "report", "--json", "--fresh", chdir: @folder)
    return 0 unless status.success?
    JSON.parse(said).fetch("series").sum { |series| (series["name"] == name) ? series["count"] : 0 }
  end

  def wait
    deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + PATIENCE_S
    until yield
      late = Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline
      raise "nothing after #{PATIENCE_S} s:\n#{File.read(@log)}" if late
      IO.select(nil, nil, nil, LOOK_S)
    end
  end
end

Dir.mktmpdir { |folder| ServersTrial.new(folder).run } if $PROGRAM_NAME == __FILE__
