# frozen_string_literal: true

require "test_helper"
require "holdup/agent/jit/memory_killers"

# The gems themselves, each in a Ruby of its own: what they set is there for the whole process.
class Holdup::Jit::MemoryKillersTest < Minitest::Test
  PRELUDE = "$LOAD_PATH.unshift(#{File.expand_path("../../../../lib",
    __dir__).dump})\nrequire \"holdup/agent/jit/memory_killers\"\n".freeze
  SAY = "print Holdup::Jit::MemoryKillers.here(env: {}).to_h.compact"

  def here(script, say: SAY)
    fresh_ruby("#{script}\n#{say}", prelude: PRELUDE, gems: true)
  end

  def test_none
    assert_equal "{}", here("")
    assert_equal "{}", here("require 'sidekiq'")
  end

  def test_puma_worker_killer
    found = here(<<~RUBY, say: "print Holdup::Jit::MemoryKillers.here(env: {}).facts.to_a.flatten.join(' ')")
      require "puma_worker_killer"
      PumaWorkerKiller.config do |config|
        config.ram = 1000
        config.percent_usage = 0.5
        config.rolling_restart_frequency = false
      end
    RUBY
    assert_equal "killer.name puma_worker_killer killer.server puma killer.of all " \
      "killer.limit_bytes #{500 << 20} killer.unit_bytes #{1 << 19}", found
    assert_equal "#{(512 * 0.99 * (1 << 20)).round} 21600",
      here("require 'puma_worker_killer'",
        say: "print Holdup::Jit::MemoryKillers.here.to_h.values_at(:limit_bytes, :every_s).join(' ')")
  end

  UNICORN = "require 'unicorn'\nrequire 'unicorn/worker_killer'\nSERVER = Unicorn::HttpServer.allocate"

  def test_unicorn_worker_killer
    say = "facts = Holdup::Jit::MemoryKillers.here(env: {}).to_h\n" \
      "print facts.values_at(:name, :of, :limit_bytes, :units).join(' ')"
    limits = "Unicorn::WorkerKiller::Oom.new(:app, 1000, 2000)\nUnicorn::WorkerKiller::MaxRequests.new(:app)"
    assert_equal "unicorn-worker-killer process 1000 3072", here("#{UNICORN}\n#{limits}", say:)
    assert_equal "unicorn-worker-killer process #{1 << 30} ",
      here("#{UNICORN}\nUnicorn::WorkerKiller::Oom.new(:app)", say:)
    assert_equal "{}", here(UNICORN)
  end

  def test_sidekiq_worker_killer
    gem = "require 'sidekiq'\nrequire 'sidekiq/worker_killer'"
    middleware = "Sidekiq.default_configuration.server_middleware { " \
      "|chain| chain.add Sidekiq::WorkerKiller, max_rss: 480 }"
    say = "facts = Holdup::Jit::MemoryKillers.here(env: {}).to_h\n" \
      "print facts.values_at(:name, :server, :limit_bytes).join(' ')"
    found = here("#{gem}\n#{middleware}", say:)
    assert_equal "sidekiq-worker-killer sidekiq #{480 << 20}", found
    assert_equal "{}", here(gem)
  end

  def test_the_swarm_of_sidekiq_enterprise
    assert_equal 300 << 20, Holdup::Jit::MemoryKillers.here(env: {"SIDEKIQ_MAXMEM_MB" => "300"}).limit_bytes
    assert_nil Holdup::Jit::MemoryKillers.here(env: {"SIDEKIQ_MAXMEM_MB" => "none"})
  end
end
