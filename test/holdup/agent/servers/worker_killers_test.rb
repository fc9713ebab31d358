# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "holdup/agent/servers/worker_exits"
require "holdup/agent/servers/worker_killers"

# The gems' own methods, in a Ruby of their own: they change its servers.
class Holdup::Servers::WorkerKillersTest < Minitest::Test
  include FreshRuby
  include TemporaryFolder

  SCRIPT = <<~RUBY
    require "holdup"
    require "holdup/agent/servers/worker_exits"
    require "holdup/agent/servers/worker_killers"
    Killers = Holdup::Servers::WorkerKillers
    guard = Holdup::Guard.new(log: nil, clock: Holdup::Clock.new)
    exits = Holdup::Servers::WorkerExits.new(-> { ENV.fetch("FOLDER") })
    killers = ->(gem) { Killers.new(gem, exits, guard:, by: :puma) }
  RUBY

  # @return [Array<String>] what it printed
  def run_with(script)
    fresh_ruby(SCRIPT + script, env: {"FOLDER" => folder}, gems: true).split
  end

  def reasons
    files = Holdup::ExitNote::ExitFiles.new(folder)
    pids = Dir.children(folder).map(&:to_i)
    pids.to_h { |pid| [pid, files.find(pid, since_ns: 0).reason] }
  end

  def test_puma_worker_killer
    said = run_with(<<~RUBY)
      before = killers.(Killers::PUMA)
      before.install
      require "puma_worker_killer"
      2.times { before.install }
      worker = Struct.new(:pid) { def term = puts("term") }
      PumaWorkerKiller::PumaMemory.new(Object.new).term_worker(worker.new(77))
      memory = PumaWorkerKiller::PumaMemory.new(Object.new)
      memory.instance_variable_set(:@workers, {worker.new(5) => 1, worker.new(78) => 2})
      memory.term_largest_worker
    RUBY
    assert_equal %w[term term], said
    assert_equal({77 => :killer, 78 => :killer}, reasons)
  end

  def test_unicorn_worker_killer
    pid, signal = run_with(<<~RUBY)
      require "logger"
      require "unicorn/worker_killer"
      killers.(Killers::UNICORN).install
      trap("QUIT") { puts "quit" }
      puts Process.pid
      Unicorn::WorkerKiller.kill_self(Logger.new(nil), Time.now)
    RUBY
    assert_equal "quit", signal
    assert_equal({pid.to_i => :killer}, reasons)
  end

  # Without a running Sidekiq its own `shutdown` gets no further than its first line.
  def test_sidekiq_worker_killer
    pid, private_method, * = run_with(<<~RUBY)
      require "sidekiq"
      require "sidekiq/worker_killer"
      killers.(Killers::SIDEKIQ).install
      puts Process.pid, Sidekiq::WorkerKiller.private_method_defined?(:shutdown)
      begin
        Sidekiq::WorkerKiller.new.send(:shutdown)
      rescue NoMethodError
        puts "not running"
      end
    RUBY
    assert_equal "true", private_method
    assert_equal({pid.to_i => :killer}, reasons)
  end
end
