# frozen_string_literal: true

require "test_helper"
require "holdup/jit/killers"

# What these gems keep, in Rubies of their own: each is a constant for the whole process. Servers and job runner are real.
class Holdup::Jit::KillersTest < Minitest::Test
  PRELUDE = "$LOAD_PATH.unshift(#{File.expand_path("../../../lib", __dir__).dump})\nrequire \"holdup/jit/killers\"\n".freeze
  SAY = "print Holdup::Jit::Killers.here(env: {}).to_h.compact"

  def here(script, say: SAY) = fresh_ruby("#{script}\n#{say}", prelude: PRELUDE)

  def test_none
    assert_equal "{}", here("")
    assert_equal "{}", here("require 'sidekiq'")
  end

  def test_puma_worker_killer
    found = here(<<~RUBY, say: "print Holdup::Jit::Killers.here.facts.to_a.flatten.join(' ')")
      module PumaWorkerKiller
        extend self
        attr_accessor :ram, :percent_usage, :rolling_restart_frequency
        self.ram, self.percent_usage, self.rolling_restart_frequency = 1000, 0.5, false
      end
    RUBY
    assert_equal "killer.name puma_worker_killer killer.server puma killer.of all killer.limit_bytes #{500 << 20}", found
  end

  def test_unicorn_worker_killer
    found = here(<<~RUBY, say: "print Holdup::Jit::Killers.here.to_h.values_at(:name, :of, :limit_bytes, :units).join(' ')")
      require "unicorn"
      module Unicorn::WorkerKiller; end
      SERVER = Unicorn::HttpServer.allocate
      SERVER.instance_variable_set(:@_worker_memory_limit_min, 1000)
      SERVER.instance_variable_set(:@_worker_max_requests_min, 3072)
    RUBY
    assert_equal "unicorn-worker-killer process 1000 3072", found
    assert_equal "{}", here("require 'unicorn'\nmodule Unicorn::WorkerKiller; end\nSERVER = Unicorn::HttpServer.allocate")
  end

  def test_sidekiq_worker_killer
    gem = <<~RUBY
      require "sidekiq"
      class Sidekiq::WorkerKiller
        include Sidekiq::ServerMiddleware
        def initialize(options = {}) = @max_rss = options.fetch(:max_rss, 0)
      end
    RUBY
    found = here("#{gem}\nSidekiq.default_configuration.server_middleware { |chain| chain.add Sidekiq::WorkerKiller, max_rss: 480 }",
      say: "print Holdup::Jit::Killers.here.to_h.values_at(:name, :server, :limit_bytes).join(' ')")
    assert_equal "sidekiq-worker-killer sidekiq #{480 << 20}", found
    assert_equal "{}", here(gem)
  end

  def test_the_swarm_of_sidekiq_enterprise
    assert_equal 300 << 20, Holdup::Jit::Killers.here(env: {"SIDEKIQ_MAXMEM_MB" => "300"}).limit_bytes
    assert_nil Holdup::Jit::Killers.here(env: {"SIDEKIQ_MAXMEM_MB" => "none"})
  end
end
