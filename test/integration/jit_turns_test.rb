# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# The turns of a real JIT's life: in the lines that the process writes, and in the store.
class JitTurnsTest < Minitest::Test
  include CommandLine

  # Thousands of methods for a megabyte, and then the same work until nothing is new.
  SCRIPT = <<~RUBY
    require "holdup/base"
    Holdup.start
    3000.times do |number|
      body = "[n, n * 2].map { |x| x.to_s + 'a' * 3 }.join.size + \#{number}"
      eval("def m\#{number}(n) = \#{body}")
    end
    Holdup.measure("fill") { 3000.times { |number| 40.times { |n| send(:"m\#{number}", n) } } }
    lines = -> { File.exist?(ENV["HOLDUP_STATS_LOG"]) ? File.read(ENV["HOLDUP_STATS_LOG"]) : "" }
    both = -> { %w[saturated warm].all? { |event| lines.call.include?('"event":"' + event) } }
    3000.times { |number| send(:"m\#{number}", 1) } until both.call
  RUBY

  def setup
    @dir = Dir.mktmpdir
    @path = File.join(@dir, "stats.log")
    @segments = File.join(@dir, "segments")
  end

  def teardown
    FileUtils.remove_entry(@dir)
  end

  def test_switched_on_full_warm_and_over
    live
    lines = File.readlines(@path).map { |line| JSON.parse(line) }
    assert_equal %w[boot enabled exit saturated warm], lines.map { |line| line["event"] }.sort - %w[stats]
    assert_equal %w[boot enabled exit], lines.map { |line| line["event"] } - %w[saturated stats warm]
    assert_equal [1 << 20, "code", 1.0, 1, 1],
      lines.last.values_at("jit_limit_bytes", "jit_limit_of", "jit_used_share", "jit_effective", "jit_warm")
    assert_equal 1, lines.sum { |line| line["units"].to_i }
    assert_equal %w[boot enabled exit saturated warm], kept.map { |event| event["event"] }.sort
  end

  private

  def live
    env = {"HOLDUP_DIR" => @segments, "HOLDUP_COLLECTOR" => "off", "HOLDUP_TICK_SECONDS" => "0.05",
           "HOLDUP_JIT" => "on", "HOLDUP_STATS_LOG" => @path}
    fresh_ruby(SCRIPT, env:, gems: true, options: ["--yjit-disable", "--yjit-exec-mem-size=1"],
      prelude: "$LOAD_PATH.unshift(#{File.join(ServedApp::ROOT, "lib").dump})\n")
  end

  # @return [Array<Hash>] what the store has of that life
  def kept
    store = "sqlite://#{@dir}/store.sqlite3"
    holdup("collect", "--once", "--dir", @segments, "--store", store, now_s: Time.now.to_i)
    report = holdup("report", "--format", "json", "--kind", "job", "--since", "10m", "--store", store,
      now_s: Time.now.to_i + 5)
    JSON.parse(report.out)["jit"].first["lives"].first["events"]
  end
end
