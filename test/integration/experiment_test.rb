# frozen_string_literal: true

require "test_helper"
require "contracts/server_steps"
require "json"
require "puma/const"

# Arms by worker in a real cluster: the name of the arm, the revision and YJIT are set in before_worker_boot,
# after the master has loaded the application and read its configuration.
class ExperimentIntegrationTest < Minitest::Test
  include ServerSteps

  def server_command
    %w[bundle exec ruby -W:deprecated -S puma -C puma.rb]
  end

  def server_facts
    {"server" => "puma", "server_version" => Puma::Const::VERSION, "workers" => 2, "threads" => 3}
  end

  # What separates workers, and its two values.
  FACTS = {"arm" => %w[stable yjit], "revision" => %w[v1 v2], "jit" => %w[off yjit]}.freeze

  def test_arms_by_worker_are_never_mixed_also_when_a_worker_is_replaced
    serve(ARMS: "stable,yjit", REVISIONS: "v1,v2", HOLDUP_COLLECTOR: "process") do |app|
      app.wait { facts(app) == {0 => %w[stable v1 off], 1 => %w[yjit v2 yjit]} }
      answered = ask(app)
      replaced(app, [1]) { Process.kill(:KILL, pids(app).fetch(1)) }
      app.wait { facts(app) == {0 => %w[stable v1 off], 1 => %w[yjit v2 yjit]} }
      answered += ask_again(app)
      app.stop
      app.wait { app.processes.empty? }
      FACTS.each { |fact, values| assert_arms(fact, values, report(app, fact, "--json"), answered) }
      assert_match(/^Invalid: too little traffic/, report(app, "arm").out)
      assert_no_trouble(app)
    end
  end

  private

  # @return [Hash{Integer => Array<String>}] arm, revision and JIT of each worker that runs
  def facts(app)
    app.live.to_h do |entry|
      snapshot = entry.read(&:snapshot)
      [snapshot.header.worker_index, FACTS.keys.map { |fact| snapshot.setting[fact] }]
    end
  end

  # @return [Integer]
  def ask_again(app)
    traffic = ClientTraffic.to(app, measured_path)
    app.wait { traffic.answered >= ServerSteps::ENOUGH }
    traffic.stop.answered
  end

  def report(app, fact, *options)
    holdup("experiment", "report", "--arms", fact, "--values", FACTS.fetch(fact).join(","), "--store",
      app.store, *options, now_s: Time.now.to_i + 60)
  end

  def assert_arms(fact, values, report, answered)
    found = JSON.parse(report.out)
    sides = found.values_at("control", "candidate")
    assert_equal values.map { |value| "#{fact} #{value}" }, sides.map { |arm| arm["label"] }
    units = sides.map { |arm| arm["units"] }
    assert_operator units.min, :>, 0, fact
    assert_equal answered, units.sum, fact
    assert_equal %w[invalid too_little], found["verdict"].values_at("key", "reason")
  end
end
