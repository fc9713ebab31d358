# frozen_string_literal: true

require "test_helper"
require "json"
require "open3"
require_relative "../../bin/support/demo/traffic"

# bin/demo from the outside: a real Rails app in a real Puma cluster under real traffic, and what the report
# says of it.
class DemoTest < Minitest::Test
  # As from a terminal, not from the bundle of the tests.
  OUTSIDE = OtherBundle::NONE
  COMMAND = File.expand_path("../../bin/demo", __dir__)
  PARTS = %w[cpu_ns starved_ns io_ns lock_ns sleep_ns native_ns].freeze

  # Where other programs use the CPUs meanwhile, most of the time says little about the shop. The report
  # says that itself, or the threads that held the GVL had no CPU for longer than they had one: then the demo
  # is run again.
  MOST_RUNS = 3

  # The part that each endpoint was built for. The time in which this machine had no CPU for it is left out:
  # it is the machine's part. Where the machine has other things to do, computing without the GVL shows as io,
  # too, so these endpoints are judged apart.
  BUILT_FOR = {
    "QuotesController#show" => "io_ns",
    "FeedsController#show" => "io_ns",
    "CartsController#update" => "lock_ns",
    "InventoryController#show" => "sleep_ns",
    "NotificationsController#create" => "sleep_ns"
  }.freeze

  def test_the_report_shows_what_each_endpoint_was_built_for
    MOST_RUNS.times do
      @report = JSON.parse(demo)
      @series = @report["series"].to_h { |series| [series["name"], series] }
      break unless out_of_cpu?
    end
    assert_sums
    return if too_few?
    assert_splits
    assert_main_cause
    assert_calls
  end

  private

  def demo
    out, err, status = Open3.capture3(OUTSIDE, COMMAND, "--json", "--seconds", "12")
    assert_predicate status, :success?, err
    assert_match(/the reports have all requests that the shop served/, err)
    out
  end

  def out_of_cpu?
    cpu, starved = %w[cpu_ns starved_ns].map { |part| @series.values.sum { |series| series[part] } }
    @report["verdict"]["key"] == "no_cpu" || starved > cpu
  end

  # Where no CPU was left in any run and the shop could not serve what the customers wanted, a few requests of
  # each endpoint show chance.
  def too_few?
    out_of_cpu? && @series.values.sum { |series| series["count"] } < Demo::Traffic::ANSWERS
  end

  def assert_splits
    BUILT_FOR.each do |name, part|
      parts = @series.fetch(name).slice(*PARTS).except("starved_ns")
      assert_equal part, parts.max_by(&:last).first, "#{name}: #{parts}"
    end
    assert_computing
    per_unit = @series.transform_values { |series| series["acquisitions"].fdiv(series["count"]) }
    assert_equal "OrdersController#index", per_unit.max_by(&:last).first
    assert_operator @series["CheckoutsController#create"]["errors"], :>, 0
  end

  def assert_computing
    sales = @series.fetch("ReportsController#sales")
    assert_operator sales.values_at("cpu_ns", "starved_ns").sum, :>, sales.values_at(*PARTS).sum / 2
    assert_operator sales["cpu_ns"], :>, sales["io_ns"]
    assert_computing_without_the_gvl(@series.fetch("ExportsController#create"))
  end

  # A thread that computes without the GVL and has no CPU for it shows as io.
  def assert_computing_without_the_gvl(export)
    natives = @series.transform_values { |series| series["native_ns"] }
    assert_equal "ExportsController#create", natives.max_by(&:last).first
    assert_operator export["native_ns"], :>, export.values_at("cpu_ns", "native_ns").sum / 4
    return if out_of_cpu?
    assert_operator export["native_ns"], :>, natives.values.sum * 0.8
    assert_operator export["native_ns"], :>, export.values_at(*PARTS).sum / 4
  end

  def assert_main_cause
    causes = @series.transform_values { |series| series["caused_ns"] }
    @report["totals"]["accounts"].each { |account| causes[account["name"]] = account["caused_ns"] }
    assert_equal "ReportsController#sales", causes.max_by(&:last).first
    assert_includes @report["verdict"]["text"], "ReportsController#sales" unless out_of_cpu?
  end

  # Its queries look slow, and the database answers fast: there are many, and reports hold the GVL meanwhile.
  def assert_calls
    orders = @report["calls"].find { |calls| calls["name"] == "OrdersController#index" }
    sql = orders["systems"].find { |line| line["system"] == "sql" }
    assert sql["misleading"], sql.to_s
    places = @report["repeated_queries"].map { |query| query.values_at("name", "place") }
    assert_includes places, ["OrdersController#index", "app/models/order.rb:7 Order#total_cents"]
  end

  # bin/demo has checked both sums itself; here they are worked out a second time, independently.
  def assert_sums
    totals = @report["totals"]
    accounts = totals["accounts"]
    stalled = totals["stalled_ns"]["sum"] + accounts.sum { |account| account["suffered_ns"] }
    caused = totals["caused_ns"] + totals["handoff_ns"] + accounts.sum { |account| account["caused_ns"] }
    assert_in_delta 1.0, caused.fdiv(stalled), 0.001
    @series.each_value do |series|
      assert_in_delta 1.0,
        (series.values_at(*PARTS).sum + series["stalled_ns"]["sum"]).fdiv(series["wall_ns"]["sum"]), 0.01
    end
  end
end
