# frozen_string_literal: true

require "test_helper"
require "json"

# Lines of statistics of real servers: which processes write them, what they contain, and that writing them
# blocks no request.
class StatsLogIntegrationTest < Minitest::Test
  PUMA = [*ServedApp::BUNDLED, "puma", "-C", "puma.rb"].freeze

  def setup
    @dir = Dir.mktmpdir
    @path = File.join(@dir, "stats.log")
  end

  def teardown
    FileUtils.remove_entry(@dir)
  end

  # A cluster with two workers that have answered.
  def serve(stats_log, **env)
    common = {**ServedApp::LONG_SHUTDOWN, "WORKERS" => "2", "HOLDUP_STATS_LOG" => stats_log}
    ServedApp.serve(*PUMA, app: "plain", env: common.merge(env.transform_keys(&:to_s))) do |app|
      app.wait { app.live_workers == [0, 1] }
      # A server that got stuck in its stop (docs/guide/puma.md) is served once more.
      @pids = app.live.map(&:pid)
      20.times { assert_equal "200", app.get("/").code }
      yield app
    end
  end

  def texts
    File.exist?(@path) ? File.readlines(@path) : []
  end

  def lines
    texts.map { |line| JSON.parse(line) }.select { |line| @pids.include?(line["pid"]) }
  end

  def of(event)
    lines.select { |line| line["event"] == event }
  end

  def test_each_worker_of_a_cluster_writes_and_all_units_are_in_one_line
    serve("to=#{@path},every=1", HOLDUP_JIT: "on") do |app|
      app.wait { of("stats").map { |line| line["worker"] }.uniq.size == 2 }
      app.wait { of("stats").sum { |line| line["units"] } >= 20 }
      units = app.units.sum(&:count)
      app.stop
      assert_equal [[0, 1]] * 3,
        %w[boot enabled exit].map { |event| of(event).map { |line| line["worker"] }.sort }
      assert_equal units, lines.sum { |line| line["units"].to_i }
    end
    assert_equal [["puma", 0, "yjit", "holdup", 1, RUBY_VERSION]],
      of("stats").map { |line|
        line.values_at("server", "generation", "jit", "jit_by", "jit_on",
          "ruby")
      }.uniq
    of("stats").each { |line| assert_operator line["jit_code_bytes"], :>, 0 }
  end

  def test_one_worker_only
    serve("to=#{@path},every=1,workers=1,format=emf") do |app|
      app.wait { of("stats").size > 2 }
      app.stop
    end
    assert_equal [0], lines.map { |line| line["worker"] }.uniq
    assert_equal [1, 1], [of("boot").size, of("exit").size]
    texts.each { |line| assert_empty EmfSchema.troubles(line) }
  end

  # A full pipe without a reader.
  def test_a_full_pipe_delays_no_request
    File.mkfifo(@path)
    File.open(@path, File::RDWR | File::NONBLOCK) do |pipe|
      serve("to=#{@path},every=1") do |app|
        nil until pipe.write_nonblock("x" * 4096, exception: false) == :wait_writable
        beats = -> { app.live.map { |entry| entry.read(&:header).heartbeat_ns } }
        before = beats.call
        # Several lines were due.
        app.wait { beats.call.zip(before).all? { |now, then_ns| now > then_ns + 3_000_000_000 } }
        assert_equal "200", app.get("/").code
        pipe.readpartial(1 << 20)
        line = app.wait {
          pipe.read_nonblock(1 << 20, exception: false).then { |text|
            JSON.parse(text[/\{"event".*\}$/]) if text.is_a?(String) && text.include?("}")
          }
        }
        assert_operator line["dropped"], :>=, 2
      end
    end
  end
end
