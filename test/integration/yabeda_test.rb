# frozen_string_literal: true

require "test_helper"
require "json"
require "open3"

# `require "holdup/yabeda"` with the real gems yabeda and yabeda-prometheus.
class YabedaTest < Minitest::Test
  one_ruby

  APP = File.expand_path("apps/yabeda/app.rb", __dir__)
  GEMFILE = File.join(ServedApp::ROOT, "gemfiles/yabeda.gemfile")
  JOB = {kind: "job", name: "ReportJob", queue: "low"}.freeze

  class << self
    # One process for all tests.
    # @return [Hash{Symbol => Object}] what the application says
    def said = @said ||= yield
  end

  def said
    self.class.said do
      Dir.mktmpdir do |folder|
        env = OtherBundle.of(GEMFILE, HOLDUP_ENABLED: "true", HOLDUP_DIR: folder, HOLDUP_COLLECTOR: "off",
          HOLDUP_LOG: "off")
        lib = "-I#{File.join(ServedApp::ROOT, "lib")}"
        printed, errors, status = Open3.capture3(env, *ServedApp::BUNDLED_RUBY, lib, APP)
        assert_predicate status, :success?, errors
        JSON.parse(printed.lines.last, symbolize_names: true)
      end
    end
  end

  # @param text [String] in Prometheus's format
  # @return [Float, nil]
  def value(text, name, labels = {})
    line = text.lines.find do |one|
      one.start_with?("#{name}{", "#{name} ") &&
        labels.all? { |label, wanted| one.include?("#{label}=\"#{wanted}\"") }
    end
    line && Float(line.split.last)
  end

  def test_counts_each_job_once
    counts = %i[first again third].map do |time|
      value(said[time], "ruby_gvl_duration_seconds_count", JOB)
    end
    assert_equal [300.0, 300.0, 350.0], counts
    assert_empty said[:failures]
  end

  def test_times_are_those_of_the_segment
    sums = said[:measured][:sums]
    elapsed = %w[ReportJob FailedJob].sum do |name|
      value(said[:third], "ruby_gvl_duration_seconds_sum", {name:})
    end
    assert_in_epsilon sums[:wall], elapsed, 0.001
    states = /^ruby_gvl_time_seconds_total\{.*kind="job".*state="(cpu|starved|running)"/
    running = said[:third].lines.grep(states)
    assert_in_epsilon sums[:running], running.sum { |line| Float(line.split.last) }, 0.001
  end

  def test_buckets_have_all_values_and_bounds_that_divide_none
    buckets = said[:first].lines.grep(/^ruby_gvl_duration_seconds_bucket\{.*name="ReportJob"/)
    bounds = buckets.map { |line| line[/le="([^"]+)"/, 1] }
    assert_equal ["0.001048576", "+Inf"], [bounds.first, bounds.last]
    assert_equal 300.0, Float(buckets.last.split.last)
  end

  def test_counts_failed_jobs
    assert_equal 1.0, value(said[:third], "ruby_gvl_errors_total", name: "FailedJob")
  end

  def test_says_how_the_process_is
    assert_operator value(said[:third], "ruby_memory_rss_bytes"), :>, 1_000_000
    assert_operator value(said[:third], "ruby_cpu_seconds_total"), :>, 0
    assert_match(/^# HELP ruby_gvl_time_seconds_total Time of requests, jobs and other threads/, said[:third])
  end

  # The fork has its parent's values in memory, as Prometheus's client keeps them.
  def test_a_fork_adds_only_its_own
    assert_equal [7.0, 350.0], ["ChildJob", "ReportJob"].map { |name|
      value(said[:forked], "ruby_gvl_duration_seconds_count", {name:})
    }
  end
end
