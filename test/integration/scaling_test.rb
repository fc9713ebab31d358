# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"
require "net/http"
require_relative "../support/played_store"

# The signal of a real collector on its port, and the capacity that a real `holdup scale` computes for it.
class ScalingIntegrationTest < Minitest::Test
  include TemporaryFolder

  SETTING = {"app" => "shop", "server" => "puma", "threads" => 5}.freeze
  MINUTES = 12

  def teardown
    if @pid
      Process.kill(:TERM, @pid)
      Process.wait(@pid)
    end
    super
  end

  def port = @port ||= FreePorts.take

  def collector(store)
    environment = {"HOLDUP_PROMETHEUS" => port.to_s, "HOLDUP_SCALING" => "p95=300ms", "HOLDUP_STORE" => store}
    @pid = Process.spawn(environment, RbConfig.ruby, CommandLine::EXE, "collect", "--dir",
      File.join(folder, "segments"), "--interval", "0.2", err: File.join(folder, "log"))
  end

  def get(path)
    answer = Net::HTTP.get_response("127.0.0.1", path, port)
    answer.body if answer.is_a?(Net::HTTPOK)
  rescue SystemCallError
    nil
  end

  def test_the_signal_on_the_port_of_the_collector
    writer = SegmentWriter.new(File.join(folder, "segments"),
      namespace: Holdup::Segment::OwnerProcess.new.namespace)
    writer.setting = JSON.generate(SETTING)
    store = File.join(folder, "store.sqlite3")
    collector(store)
    said = wait_until do
      writer.record("A", wall: 5_000_000, running: 5_000_000, cpu_ns: 5_000_000)
      writer.heartbeat
      body = get("/scale.json")
      found = body && JSON.parse(body)
      found if found&.fetch("roles")&.any?
    end
    expected = {"app" => "shop", "role" => "puma", "kind" => "request", "load_ratio" => nil,
                "reason" => "starting"}
    assert_equal expected, said["roles"].first.slice(*expected.keys)
    assert_match(/^holdup_load_ratio_unknown\{app="shop",role="puma",kind="request",.*reason="starting"\} 1$/,
      get("/metrics"))
    assert_equal said["host"], JSON.parse(File.read(File.join(folder, "segments/scale.json")))["host"]
  ensure
    writer&.close
  end

  def test_the_capacity_of_a_real_store
    now_s = Time.now.to_i
    played = PlayedStore.new(PlayedRecording.new(minutes: MINUTES), facts: {"app" => "shop"},
      from_s: (now_s - MINUTES * 60) / 60 * 60)
    goal = Holdup::ConfigurationKeys::ScalingGoal.new(slo: "p95=200ms")
    log = CollectedLog.new
    played.in_a_file do |path|
      capacity = Holdup::Scaling::CapacityProcess.new(goal, store: path, log:, clock: Holdup::Clock.new)
      capacity.poll(PlayedStore::HOST)
      found, = wait_until { capacity.poll(PlayedStore::HOST) }
      assert_equal ["shop", "puma", "request", 1, nil],
        found.values_at(:app, :role, :kind, :processes, :reason)
      assert_operator found[:per_second], :>, 25
      assert_empty log.lines
    end
  end
end
