# frozen_string_literal: true

require "test_helper"
require "contracts/server_steps"
require "json"
require "puma/const"

# Arms by worker in a real cluster: HOLDUP_ARM is set in before_worker_boot, after the master has loaded the
# application and read its configuration.
class ExperimentIntegrationTest < Minitest::Test
  include ServerSteps

  def server_command
    %w[bundle exec ruby -W:deprecated -S puma -C puma.rb]
  end

  def server_facts
    {"server" => "puma", "server_version" => Puma::Const::VERSION, "workers" => 2, "threads" => 3}
  end

  def test_arms_by_worker_are_never_mixed_also_when_a_worker_is_replaced
    serve(ARMS: "stable,canary", HOLDUP_COLLECTOR: "process") do |app|
      answered = ask(app)
      assert_equal({0 => "stable", 1 => "canary"}, arms(app))
      replaced(app, [1]) { Process.kill(:KILL, pids(app).fetch(1)) }
      app.wait { arms(app) == {0 => "stable", 1 => "canary"} }
      answered += ask_again(app)
      app.stop
      app.wait { app.processes.empty? }
      assert_arms(JSON.parse(report(app, "--json").out), answered)
      assert_match(/^Invalid: too little traffic/, report(app).out)
      assert_no_trouble(app)
    end
  end

  private

  # @return [Hash{Integer => String}] arm of each worker that runs
  def arms(app)
    app.live.to_h do |entry|
      snapshot = entry.read(&:snapshot)
      [snapshot.header.worker_index, snapshot.setting["arm"]]
    end
  end

  # @return [Integer]
  def ask_again(app)
    traffic = ClientTraffic.to(app, measured_path)
    app.wait { traffic.answered >= ServerSteps::ENOUGH }
    traffic.stop.answered
  end

  def report(app, *options)
    holdup("experiment", "report", "--values", "stable,canary", "--store", app.store, *options,
      now_s: Time.now.to_i + 60)
  end

  def assert_arms(found, answered)
    sides = found.values_at("control", "candidate")
    assert_equal ["arm stable", "arm canary"], sides.map { |arm| arm["label"] }
    units = sides.map { |arm| arm["units"] }
    assert_operator units.min, :>, 0
    assert_equal answered, units.sum
    assert_equal %w[invalid too_little], found["verdict"].values_at("key", "reason")
  end
end
