# frozen_string_literal: true

require "test_helper"
require "holdup/agent/stats_log"

class Holdup::StatsLog::EncodingTest < Minitest::Test
  def setup
    @dir = Dir.mktmpdir
  end

  def teardown
    FileUtils.remove_entry(@dir)
  end

  # A process with a life, and each of its lines.
  def texts(**options)
    stats = StatsLines.new(@dir, **options)
    stats.after(0)
    stats.gauge(**StatsLines::GAUGES)
    stats.segment.record("A#b", wall: 5_000_000, running: 2_000_000, stalled: 1_000_000, idle: 2_000_000,
      queued: 100_000)
    stats.after(200)
    stats.stats.close
    stats.sink.texts
  end

  def test_lines_of_json
    texts = texts()
    assert_equal %w[boot enabled stats exit], texts.map { |text| JSON.parse(text)["event"] }
    texts.each { |text| assert_match(/\A\{"event":"\w+","at":.*\}\n\z/, text) }
  end

  def test_the_embedded_metric_format
    texts = texts(format: :emf, namespace: "Shop/Ruby")
    texts.each { |text| assert_empty EmfSchema.troubles(text), text }
    line = JSON.parse(texts[2])
    directive = line["_aws"]["CloudWatchMetrics"].first
    assert_equal ["Shop/Ruby", [%w[app server]], 1_700_000_200_000],
      [*directive.values_at("Namespace", "Dimensions"), line["_aws"]["Timestamp"]]
    assert_equal %w[units units_per_s errors], directive["Metrics"].first(3).map { |metric| metric["Name"] }
    assert_equal [1, "shop", "puma", Process.pid], line.values_at("units", "app", "server", "pid")
  end

  def test_each_unit_is_in_one_line_of_metrics
    assert_equal 1, texts(format: :emf).sum { |text| JSON.parse(text)["units"].to_i }
  end

  def test_a_pipe_takes_a_line_at_once
    texts(format: :emf).each { |text| assert_operator text.bytesize, :<=, 4096 }
  end

  def test_an_application_without_a_name_has_no_such_dimension
    stats = StatsLines.new(@dir, format: :emf)
    stats.segment.setting = '{"ruby":"3.4.5"}'
    stats.segment.profile = {}
    stats.after(0)
    assert_empty EmfSchema.troubles(stats.sink.texts.first)
    assert_equal [[]], stats.lines.first["_aws"]["CloudWatchMetrics"].first["Dimensions"]
  end

  def test_what_the_schema_refuses
    good = JSON.parse(texts(format: :emf)[2])
    broken = {
      "ms" => ->(line) { line["_aws"]["Timestamp"] /= 1000 },
      "number" => ->(line) { line["units"] = "5" },
      "dimension" => ->(line) { line.delete("server") },
      "unit" => ->(line) { line["_aws"]["CloudWatchMetrics"][0]["Metrics"][0]["Unit"] = "Apples" },
      "dimensions" => ->(line) { line["_aws"]["CloudWatchMetrics"][0]["Dimensions"] = [] }
    }
    broken.each_value do |change|
      line = JSON.parse(JSON.generate(good)).tap(&change)
      refute_empty EmfSchema.troubles("#{JSON.generate(line)}\n")
    end
  end
end
