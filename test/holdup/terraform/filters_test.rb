# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "holdup/agent/stats_log"
require "json"

class Holdup::Terraform::FiltersTest < Minitest::Test
  Terraform = Holdup::Terraform

  def blocks(**plan)
    Terraform::Filters.new(Terraform::AlarmPlan.new(**plan)).blocks
  end

  def filter(**plan)
    text = Terraform::Hcl.render(blocks(**plan).last)
    HclGrammar.parse(text).all("resource").first.body.attributes
  end

  def match?(figure, line, **plan)
    pattern = filter(**plan).fetch("pattern").fill("each.key" => figure)
    FilterPattern.new(pattern).match?(JSON.generate(line))
  end

  LINE = {event: "stats", setting: "abc", app: "shop", server: "puma", units: 3}.freeze

  def test_takes_lines_of_statistics_and_of_the_end_only
    assert match?("units", LINE)
    assert match?("units", LINE.merge(event: "exit"))
    %w[boot enabled saturated statsx].each { |event| refute match?("units", LINE.merge(event:)), event }
  end

  def test_takes_only_lines_that_have_the_figure
    refute match?("rss_bytes", LINE)
    assert match?("rss_bytes", LINE.merge(rss_bytes: 0)), "zero is a figure"
  end

  # Another library's line may have the same event.
  def test_takes_no_line_without_a_fingerprint
    refute match?("units", LINE.except(:setting))
  end

  def test_takes_only_the_lines_of_the_plan
    assert match?("units", LINE, app: "shop", server: "puma")
    refute match?("units", LINE.merge(app: "admin"), app: "shop")
    refute match?("units", LINE.merge(server: "sidekiq"), app: "shop", server: "puma")
    refute match?("units", LINE.except(:app), app: "shop")
    assert match?("units", LINE.except(:app), server: "puma")
  end

  def test_each_figure_has_a_filter_with_a_name_of_its_own
    found = filter(app: "shop")

    assert_equal "holdup-shop-units", found.fetch("name").fill("each.key" => "units")
    assert_equal Holdup::StatsLog::Metrics::UNITS, blocks.first.attributes.fetch(:holdup_metrics)
  end

  def test_the_metric_is_the_value_of_the_figure
    metric = blocks(namespace: "Own").last.blocks.first.attributes

    assert_equal "\"$.${each.key}\"", metric.fetch(:value).text
    assert_equal "each.value", metric.fetch(:unit).text
    assert_equal "Own", metric.fetch(:namespace)
  end

  # A name with Terraform's own signs must not be inserted into: only the figure's name is.
  def test_only_the_name_of_the_figure_is_interpolated
    odd = '${var.secret} %{if} "quoted" \\'
    name = filter(app: odd).fetch("name")

    assert_equal "holdup-#{odd}-units", name.fill("each.key" => "units")
    assert_equal 1, name.parts.grep_v(String).size
  end
end
