# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Export::SeriesTotalsTest < Minitest::Test
  SETTING = {"app" => "shop", "server" => "puma", "jobs" => "sidekiq", "revision" => "r1"}.freeze
  ALL = Holdup::ConfigurationKeys::PrometheusExport::DEFAULT_LABELS
  BUCKETS = Holdup::Histogram::Buckets

  def totals(limit: 10, labels: ALL) = Holdup::Export::SeriesTotals.new(limit:, labels:)

  def window(name, values = [], kind: :request, queue: nil, setting: SETTING, **sums)
    windows = SampleWindows.new(kind:, queue:, setting:)
    windows.window(name, count: values.size, sums:,
      histograms: Holdup::Window::HISTOGRAMS.to_h { |each| [each, Holdup::Histogram.of(values)] })
  end

  def test_labels_say_application_role_kind_name_queue_and_host
    found = totals.tap { |all| all.add(window("J", [1], kind: :job, queue: "low")) }
    expected = {app: "shop", role: "puma+sidekiq", kind: "job", name: "J", queue: "low", host: "web-1"}
    assert_equal [expected], found.units.keys
  end

  def test_labels_that_are_not_allowed_are_added_up
    found = totals(labels: %i[name revision])
    found.add(window("A", [1]))
    found.add(window("A", [1], kind: :job, queue: "low"))
    assert_equal [{name: "A", revision: "r1"}], found.units.keys
    assert_equal 2, found.units.values.first.counts[:wall]
  end

  def test_an_unknown_fact_has_no_label
    found = totals.tap { |all| all.add(window("A", [1], setting: {})) }
    assert_equal [{kind: "request", name: "A", host: "web-1"}], found.units.keys
  end

  def test_views_of_the_same_requests_are_left_out
    found = totals
    %i[process pool priority].each { |kind| found.add(window("worker 0", [1], kind:)) }
    assert_empty [found.units, found.nested, found.handoff].flat_map(&:keys)
  end

  def test_handoff_and_nested_time_are_apart
    found = totals
    found.add(window("(handoff)", kind: :account, caused_ns: 5))
    found.add(window("(nested)", kind: :nested, cpu_ns: 7))
    found.add(window("main", kind: :account, cpu_ns: 9))
    process = {app: "shop", role: "puma+sidekiq", host: "web-1"}
    assert_equal({process => 5}, found.handoff.transform_values { |figures| figures.sums[:caused_ns] })
    assert_equal({process => 7}, found.nested.transform_values { |figures| figures.sums[:cpu_ns] })
    assert_equal({{**process, kind: "thread", name: "main"} => 9},
      found.units.transform_values { |figures| figures.sums[:cpu_ns] })
  end

  def test_names_beyond_the_limit_share_one_and_are_counted
    found = totals(limit: 3)
    8.times { |index| found.add(window("A#{index}", [1])) }
    3.times { |index| found.add(window("A#{index + 6}", [1])) }
    counts = found.units.to_h { |labels, figures| [labels[:name], figures.counts[:wall]] }
    assert_equal({"A0" => 1, "A1" => 1, "A2" => 1, "(other)" => 8}, counts)
    assert_equal 6, found.dropped
  end

  def test_queues_beyond_the_limit_share_one
    found = totals(limit: 2, labels: ALL - [:name])
    4.times { |index| found.add(window("J", [1], kind: :job, queue: "q#{index}")) }
    assert_equal %w[q0 q1 (other)], found.sidekiq.keys.map { |labels| labels[:queue] }
    assert_equal 4, found.sidekiq.values.sum { |figures| figures.counts[:queued] }
  end

  def test_only_jobs_of_sidekiq_have_its_alias
    found = totals
    found.add(window("J", [1], kind: :job, queue: "low", setting: {"jobs" => "good_job"}))
    assert_empty found.sidekiq
  end

  # The largest value of each bound and the one above it, against the definition of `le`.
  def test_every_bound_divides_the_values_exactly
    Holdup::Export::SeriesTotals::Figures::POWERS.each do |name, powers|
      values = powers.flat_map { |power| [2**power, 2**power + 1] } + [1, 1025, BUCKETS.last(511), 2**60]
      found = totals.tap { |all| all.add(window("A", values)) }
      histogram = found.units.values.first.histogram(name)
      powers.each do |power|
        below = values.count { |value| value <= 2**power }
        assert_equal below, histogram.fetch((2**power).fdiv(1_000_000_000).to_s), "#{name}, 2^#{power} ns"
      end
      assert_equal values.size, histogram.fetch("+Inf")
    end
  end

  def test_buckets_of_random_values_agree_with_counting
    random = Random.new(17)
    values = Array.new(2_000) { (2**random.rand(0.0..43.0)).round }
    found = totals
    values.each_slice(300) { |some| found.add(window("A", some)) }
    histogram = found.units.values.first.histogram(:queued)
    bounds = histogram.keys - %w[sum +Inf]
    bounds.each do |bound|
      limit_ns = (Float(bound) * 1_000_000_000).round
      assert_equal values.count { |value| value <= limit_ns }, histogram[bound], bound
    end
    assert_equal values.sum.fdiv(1_000_000_000), histogram["sum"]
  end
end
