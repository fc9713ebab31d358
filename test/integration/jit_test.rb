# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "holdup/agent/jit"

# YJIT in real servers, as `holdup doctor --json` tells it from outside.
class JitIntegrationTest < Minitest::Test
  include DoctorJit

  PUMA = [*ServedApp::BUNDLED, "puma", "-C", "puma.rb"].freeze
  UNICORN = [*ServedApp::BUNDLED, "unicorn", "-c", "unicorn.rb"].freeze
  PITCHFORK = [*ServedApp::BUNDLED, "pitchfork", "-c", "pitchfork.conf.rb"].freeze
  ON = {"HOLDUP_JIT" => "on"}.freeze

  def serve(command, workers: [0, 1], app: "plain", **env)
    count = workers.count { |index| !index.negative? }.to_s
    ServedApp.serve(*command, app:, env: {"WORKERS" => count, **env.transform_keys(&:to_s)}) do |app|
      app.wait { app.live_workers == workers }
      wait_for_jits(app)
      yield app
    end
  end

  def test_in_each_worker_and_not_in_the_master
    {PUMA => {PRELOAD: "1"}, UNICORN => {PRELOAD: "1"}, PITCHFORK => {}}.each do |command, env|
      serve(command, **ON, **env) do |app|
        said = examine(app)
        assert_on(said, parent: "off")
        assert_equal %w[jit jit_master_off], found(said)
      end
    end
  end

  def test_where_each_worker_loads_the_application
    [PUMA, UNICORN].each do |command|
      serve(command, **ON, PRELOAD: "0") { |app| assert_on(examine(app), parent: "off") }
    end
  end

  def test_a_single_process
    serve(PUMA, workers: [-1], **ON) do |app|
      said = examine(app)
      assert_on(said, parent: nil)
      assert_equal %w[jit], found(said)
    end
  end

  def test_workers_that_a_worker_forks_have_it_from_there
    serve(PUMA, **ON, PRELOAD: "0", FORK_WORKER: "1") do |app|
      assert_on(examine(app), parent: "off")
      reforked(app, :URG, {0 => 0, 1 => 1})
      assert_on_in_the_first(examine(app))
      assert_equal %w[jit], found(examine(app))
    end
    serve(PITCHFORK, **ON) do |app|
      first = jits(examine(app)).map { |jit| jit["since"] }
      reforked(app, :USR2, {0 => 1, 1 => 1})
      second = jits(examine(app))
      assert_equal [["holdup", "parent", "on", true]],
        second.map { |jit| jit.values_at("by", "at", "parent", "effective") }.uniq
      assert_equal 1, (second.map { |jit| jit["since"] }.uniq & first).size,
        "since it was on in the worker that became the mold"
    end
  end

  # @param generations [Hash{Integer => Integer}] of its workers then
  def reforked(app, signal, generations)
    app.signal(signal)
    app.wait {
      app.live.to_h { |entry|
        entry.read(&:header).then { |header|
          [header.worker_index,
            header.generation]
        }
      } == generations
    }
    app.wait {
      jits = jits(examine(app))
      jits.size == generations.size && jits.all? { |jit| jit && jit["since"] }
    }
  end

  def test_a_hook_that_runs_in_the_master
    serve(PUMA, WRONG_HOOK: "1", PRELOAD: "1") do |app|
      said = examine(app)
      assert_includes found(said), "jit_wrong_hook"
      assert_equal [[false, nil], [true, "application"]],
        jits(said).map { |jit| jit.values_at("on", "by") }.sort_by(&:to_s)
    end
  end

  def test_another_hook_in_the_master
    serve(PUMA, **ON, WRONG_HOOK: "1", PRELOAD: "1") do |app|
      said = examine(app)
      assert_equal %w[jit jit_wrong_hook], found(said)
      assert_equal [%w[application on], %w[holdup off]],
        jits(said).map { |jit| jit.values_at("by", "parent") }.sort
    end
  end

  def test_from_the_start_of_ruby
    serve(PUMA, RUBYOPT: "--yjit --yjit-call-threshold=31") do |app|
      said = examine(app)
      assert_includes found(said), "jit_at_boot"
      assert_equal [["RUBYOPT", "boot", "on", 31]],
        jits(said).map { |jit| jit.values_at("by", "at", "parent", "threshold") }.uniq
    end
  end

  def test_rails_switches_it_on_where_it_loads_the_application
    {"1" => %w[rails parent on], "0" => ["rails", "process", "off"]}.each do |preload, expected|
      serve(PUMA, app: "rails", **ON, WITH_PLUGIN: "1", WITH_HOLDUP: "1", RAILS_ENV: "production",
        RAILS_YJIT: "1", PRELOAD: preload) do |app|
        said = examine(app)
        assert_equal [expected], jits(said).map { |jit| jit.values_at("by", "at", "parent") }.uniq, preload
        assert_equal ["jit", (preload == "1") ? "jit_too_early" : "jit_master_off"], found(said)
      end
    end
  end

  # A library that is loaded where it does not belong.
  def test_what_a_tracer_leaves_behind
    serve(PUMA, workers: [-1], **ON, RUBYOPT: "-rpower_assert") do |app|
      said = examine(app)
      assert_equal [[true, false, "power_assert"]],
        jits(said).map { |jit| jit.values_at("on", "effective", "suspects") }
      assert_equal %w[jit jit_ineffective_suspects], found(said)
    end
  end

  def test_options_that_this_ruby_takes_only_when_it_starts
    taken = RubyVM::YJIT.method(:enable).parameters.map(&:last)
    skip "this Ruby takes them while it runs" if taken.include?(:call_threshold)
    serve(PUMA, workers: [-1], HOLDUP_JIT: "call_threshold=31") do |app|
      assert_includes app.log, 'RUBYOPT="--yjit-disable --yjit-call-threshold=31"'
      assert_includes found(examine(app)), "jit_options"
    end
    serve(PUMA, workers: [-1], HOLDUP_JIT: "call_threshold=31",
      RUBYOPT: "--yjit-disable --yjit-call-threshold=31") do |app|
      assert_equal %w[jit], found(examine(app))
      assert_equal [31, "holdup"], jits(examine(app)).first.values_at("threshold", "by")
    end
  end

  def test_sidekiq
    RedisServer.run do |redis|
      SidekiqProcess.run(redis, "-t", "1", "-c", "2", env: ON) do |sidekiq|
        sidekiq.wait { sidekiq.snapshots.first&.gauges&.fetch(:jit_enabled) }
        assert_on(examine(sidekiq), parent: nil)
      end
    end
  end
end
