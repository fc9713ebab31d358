# frozen_string_literal: true

require "test_helper"
require "holdup/agent/stats_log"
require "json"

class Holdup::StatsLogTest < Minitest::Test
  # The first line by the clock comes after a random part of the interval.
  NEVER_S = 86_400

  def setup
    @dir = Dir.mktmpdir
  end

  def teardown
    FileUtils.remove_entry(@dir)
  end

  def stats(...) = StatsLines.new(@dir, ...)

  def test_writes_a_line_at_each_event_of_a_process
    stats = stats(every: NEVER_S)
    stats.after(1)
    stats.gauge(**StatsLines::GAUGES)
    3.times { stats.after(0) }
    stats.gauge(jit_warm_ns: 1_700_000_001_000_000_000)
    stats.after(0)
    stats.gauge(jit_saturated: 1)
    stats.after(0)
    stats.stats.close
    assert_equal %w[boot enabled warm saturated exit], stats.events
    assert_equal [0, 1, 1, 1, 1], stats.lines.map { |line| line["jit_on"] }
    assert_equal [nil, 0, 1, 1, 1], stats.lines.map { |line| line["jit_warm"] }
    assert_equal [nil, 0, 0, 1, 1], stats.lines.map { |line| line["jit_saturated"] }
  end

  def test_a_line_every_so_often
    stats = stats(every: 60)
    stats.after(0)
    400.times { stats.after(1) }
    assert_includes 5..8, stats.events.count("stats")
    stats.lines.drop(2).each { |line| assert_includes 53..67, line["interval_s"] }
  end

  def test_one_worker_only
    assert_equal [2, 2, 0], [0, 1, 2].map { |worker| count(worker, workers: 2) }
    assert_equal [2, 2], [count(-1, workers: 1), count(7)]
  end

  def count(worker, **options)
    stats = StatsLines.new(File.join(@dir, "#{worker}#{options.size}"), worker:, **options)
    stats.after(0)
    stats.after(120)
    stats.events.size
  end

  def test_a_fork_without_an_index_is_silent_when_workers_are_chosen
    stats = stats(worker: -1, workers: 1, every: NEVER_S)
    stats.segment.put_word(176, 1) # its generation
    stats.after(1)
    assert_empty stats.events
    stats.segment.put_word(168, 0) # its worker's index
    stats.after(1)
    assert_equal %w[boot], stats.events
    assert_equal [0, 1], stats.lines.first.values_at("worker", "generation")
  end

  def test_what_is_left_out_by_sampling_is_in_the_next_line
    stats = stats(every: 60, sample: 0.3)
    stats.after(0)
    100.times do
      10.times { stats.segment.record("A#b", wall: 1000) }
      stats.after(67)
    end
    written = stats.lines.select { |line| line["event"] == "stats" }
    assert_includes 10..60, written.size
    stats.stats.close
    assert_equal 1000, stats.lines.sum { |line| line["units"].to_i }
  end

  def test_the_next_line_has_the_count_of_dropped_lines
    stats = stats(every: 1)
    stats.after(0)
    stats.sink.full = true
    3.times { stats.after(2) }
    stats.sink.full = false
    assert_equal 3, stats.after(2)["dropped"]
    assert_empty stats.log.lines
  end

  def test_warns_once_of_an_output_that_can_not_be_written
    stats = stats(every: 1)
    stats.sink.error = Errno::EROFS.new("/var/log/x")
    3.times { stats.after(2) }
    assert_equal 1, stats.log.lines.size
    assert_match(/stats_log can't be written.*Read-only file system/, stats.log.lines.first)
    stats.sink.error = nil
    assert_operator stats.after(2)["dropped"], :>=, 3
  end

  def test_nothing_was_written_by_a_process_that_wrote_no_line
    stats = stats(workers: 1, worker: 3)
    stats.after(100)
    stats.stats.close
    assert_empty stats.sink.texts
  end

  def test_is_not_loaded_unless_configured
    script = <<~RUBY
      require "holdup/base"
      Holdup.start
      puts Holdup.running?, $LOADED_FEATURES.grep(/stats_log\\b|segment.reader|\\/json\\.rb/)
    RUBY
    prelude = "$LOAD_PATH.unshift(#{File.expand_path("../../../lib", __dir__).dump})\n"
    env = {
      "HOLDUP_DIR" => File.join(@dir, "segments"),
      "HOLDUP_COLLECTOR" => "off",
      "HOLDUP_LOG" => "off"
    }
    outputs = [nil, File.join(@dir, "lines")].map do |to|
      fresh_ruby(script, prelude:, env: env.merge("HOLDUP_STATS_LOG" => to))
    end
    assert_equal "true\n", outputs.first
    assert_includes outputs.last, "lib/holdup/agent/stats_log.rb"
  end

  def test_writes_no_line_without_a_segment
    stats = stats()
    stats.define_singleton_method(:read_segment) { |*| nil }
    stats.after(100)
    assert_empty stats.sink.texts
  end
end
