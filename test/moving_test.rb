# frozen_string_literal: true

require "test_helper"
require "holdup"
require "gvl_metrics_middleware"
require "gvl_timing"
require "gvltools"

# docs/guide/moving.md names methods of other gems and of ours: all of them are there.
class MovingTest < Minitest::Test
  PAGE = File.read(File.expand_path("../docs/guide/moving.md", __dir__))
  # A table's row is a pair, with a `|` of Ruby escaped.
  ROWS = PAGE.scan(/^\| (.+?) (?<!\\)\| (.+) \|$/).drop(1).freeze

  def test_every_reader_on_the_right_is_ours
    readers = ours.flat_map { |text| text.scan(/(?:figures|current)\.(\w+)/) }.flatten.uniq
    assert_operator readers.size, :>=, 5
    assert_empty readers.reject { |name| Holdup::UnitFigures.method_defined?(name) }
  end

  def test_every_word_in_code_that_follows_a_reader_is_one_too
    names = ours.grep(/figures\.|elapsed_ns/).flat_map { |text| text.scan(/`([a-z_]+)`/) }.flatten
    assert_operator names.size, :>=, 8
    refused = names.reject { |name| Holdup::UnitFigures.method_defined?(name) }
    assert_equal %w[gc_ms], refused.uniq, "only perfm's name is on the right"
  end

  def test_every_setting_on_the_right_is_ours
    settings = ours.flat_map { |text| text.scan(/config\.(\w+)/) }.flatten.uniq
    assert_equal %w[on_finish on_finish_sample], settings.sort
    assert_empty settings.map(&:to_sym) - Holdup::Configuration.members
  end

  def test_gvl_timing_has_its_methods
    rows = theirs.grep(/\Agvl_timing|\A`timer\./)
    names = rows.flat_map { |text| text.scan(/\b(?:\w+_)?duration(?:_ns)?/) }
    assert_operator names.size, :>=, 6
    timer = GVLTiming.measure { 1 }
    assert_empty names.reject { |name| timer.respond_to?(name) }
  end

  def test_gvl_metrics_middleware_has_its_settings
    row = theirs.find { |text| text.start_with?("gvl_metrics_middleware") }
    names = [row, *theirs.grep(/\A`config\./)].flat_map { |text| text.scan(/config\.(\w+)/) }.flatten
    assert_equal %w[on_report_failure rack safe_guard sampling_rate sidekiq], names.sort
    GvlMetricsMiddleware.configure do |config|
      missing = names.reject { |name| config.respond_to?(name) || config.respond_to?(:"#{name}=") }
      assert_empty missing
    end
  end

  def test_gvltools_has_its_timer
    assert_includes theirs.first, "GVLTools::LocalTimer.monotonic_time"
    assert_respond_to GVLTools::LocalTimer, :monotonic_time
  end

  private

  def theirs = ROWS.map(&:first)

  def ours = ROWS.map(&:last)
end
