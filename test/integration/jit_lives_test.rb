# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# What the store keeps of the JIT of a real server's workers, and what report and advice make of it.
class JitLivesTest < Minitest::Test
  include CommandLine

  def test_workers_from_birth_to_exit
    ServedApp.serve(*ServedApp::BUNDLED, "puma", "-C", "puma.rb", app: "plain",
      env: {**ServedApp::LONG_SHUTDOWN, "WORKERS" => "2", "PRELOAD" => "1", "HOLDUP_JIT" => "on"}) do |app|
      app.wait { app.live_workers == [0, 1] }
      5.times { app.get("/pid") }
      app.wait { app.live.all? { |entry| entry.read(&:header).gauges[:jit_enabled] == 1 } } # a first tick
      collect(app)
      assert_equal [[2, 2, ["yjit"], ["holdup"], ["process"], 0, nil]],
        jit_of(app).map { |server|
          server.values_at("processes", "on", "kind", "by", "at", "ended",
            "units_per_life")
        }
      assert_includes advised(app), "jit_no_warmup"
      app.stop
      app.wait { app.live.empty? }
      units = app.units.sum(&:count)
      collect(app)
      served = jit_of(app).first["lives"].map { |life| life["units"] }
      assert_equal [units, served.min], [served.sum, jit_of(app).first["units_per_life"]]
      assert_equal [%w[boot enabled exit]] * 2,
        jit_of(app).first["lives"].map { |life| life["events"].map { |event| event["event"] } - ["warm"] }
    end
  end

  private

  def collect(app)
    run_cli("collect", "--once", "--dir", app.dir, "--store", app.store)
  end

  def jit_of(app)
    JSON.parse(run_cli("report", "--format", "json", "--since", "10m", "--store", app.store))["jit"]
  end

  def advised(app)
    JSON.parse(run_cli("advise", "--json", "--since", "10m", "--store",
      app.store))["findings"].map { |finding|
      finding["rule"]
    }
  end

  # What is of this very second counts.
  def run_cli(command, *arguments)
    holdup(command, *arguments, now_s: Time.now.to_i + ((command == "collect") ? 0 : 5)).out
  end
end
