# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "holdup/agent/stats_log"
require "json"

class Holdup::Export::Terraform::FiltersTest < Minitest::Test
  Terraform = Holdup::Export::Terraform

  def file(**plan)
    TerraformFile.new(Terraform.write(Terraform::AlarmPlan.new(**plan)))
  end

  # @param figure [String] of the filter
  # @return [Hash] its arguments, as Terraform evaluates them
  def filter(figure, **plan)
    file = file(**plan)
    body = file.resources("aws_cloudwatch_log_metric_filter").first.body
    known = {"each.key" => figure, "each.value" => "its unit", "var.holdup_log_group" => "/ecs/shop"}
    file.evaluate(body, known)
  end

  def match?(figure, line, **plan)
    FilterPattern.new(filter(figure, **plan).fetch("pattern")).match?(JSON.generate(line))
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
    found = filter("units", app: "shop")

    assert_equal "holdup-shop-units", found.fetch("name")
    assert_equal Holdup::StatsLog::Metrics::UNITS, found.fetch("for_each")
    assert_equal "/ecs/shop", found.fetch("log_group_name")
  end

  def test_the_metric_is_the_value_of_the_figure
    metric = filter("units", namespace: "Own").fetch("metric_transformation")
    expected = {"name" => "units", "namespace" => "Own", "value" => "$.units", "unit" => "its unit"}

    assert_equal expected, metric
  end

  # A name with Terraform's own signs must not be inserted into: only the figure's name is.
  def test_only_the_name_of_the_figure_is_interpolated
    odd = '${var.secret} ${each.key} %{if} "quoted" \\ $'
    found = filter("units", app: odd)

    assert_equal "holdup-#{odd}-units", found.fetch("name")
    assert_includes found.fetch("pattern"), "$.app = \"#{odd}\""
  end
end
