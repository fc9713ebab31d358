# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::ProcessReport::SampleTrailTest < Minitest::Test
  SampleTrail = Holdup::Analysis::ProcessReport::SampleTrail
  NS = 1_000_000_000

  # @param values [Array<Hash>] one a minute
  def trail(*values, pid: 7)
    SampleTrail.new(values.each_with_index.map { |value, minute|
      {at_s: 60 * minute, host: "a", pid:, start: 1, **value}
    })
  end

  def test_takes_the_latest_sample_that_has_a_figure
    found = trail({threads: 3}, {threads: 5}, {rss_bytes: 9})
    assert_equal 5, found[:threads]
    assert_equal 9, found[:rss_bytes]
    assert_nil found[:pss_bytes]
  end

  # Its pools are renumbered when an embedded job runner stops.
  def test_the_end_of_a_process_does_not_change_what_it_ran
    ran = {setting: "with jobs", "pool.1": "default"}
    found = trail(ran, ran, {setting: "without", "pool.1": "primary", ended: true}).running
    assert_equal ["with jobs", "default"], [found[:setting], found[:"pool.1"]]
    assert_equal "without", trail(ran, {setting: "without"}).running[:setting], "it goes on"
    assert_equal "without", trail({setting: "without", ended: true}).running[:setting]
  end

  # nil is what was recorded: the figure is not known any more.
  def test_a_recorded_nil_hides_earlier_values
    assert_nil trail({backlog: 3}, {backlog: nil})[:backlog]
  end

  def test_a_pid_that_is_used_again_is_another_process
    samples = [[7, 1], [8, 1], [7, 2], [7, 1]].map { |pid, start| {at_s: 0, host: "a", pid:, start:} }
    assert_equal [["a", 7, 1], ["a", 8, 1], ["a", 7, 2]], SampleTrail.all(samples).map(&:identity)
    elsewhere = samples.first.merge(host: "b")
    assert_equal 4, SampleTrail.by_process([*samples, elsewhere]).size
  end

  def test_a_counter_that_falls_adds_nothing
    assert_equal 15, trail({cpu: 10}, {cpu: 20}, {cpu: 5}, {cpu: 10}).grown(:cpu)
    assert_equal 0, trail({cpu: 10}, {cpu: 4}).grown(:cpu)
  end

  def test_one_sample_shows_no_growth
    assert_nil trail({cpu: 10}).grown(:cpu)
    assert_nil trail({cpu: 10}, {}).grown(:cpu)
    assert_nil trail({cpu: 10}, {}).rate(:cpu)
    assert_nil trail({}, {}).rate(:cpu)
  end

  def test_a_rate_is_over_the_time_between_samples_that_have_the_counter
    half_a_cpu = trail({}, {cpu_ns: 0}, {}, {cpu_ns: 60 * NS}, {})
    assert_in_delta 0.5, half_a_cpu.rate(:cpu_ns), 1e-12
  end

  def test_the_growth_of_parts_adds_up_to_the_whole
    random = Random.new(1)
    counter = 0
    samples = Array.new(50) { {cpu: counter += random.rand(100)} }
    found = trail(*samples)
    assert_equal found.grown(:cpu), found.pairs.sum { |pair| pair.grown(:cpu) }
    assert_equal 49, found.pairs.size
  end

  def test_interpolates_between_samples
    found = trail({units: 0}, {units: 60}, {}, {units: 300})
    {0 => 0, 30 => 30, 60 => 60, 90 => 120, 120 => 180, 180 => 300}.each do |second, value|
      assert_in_delta value, found.at(:units, second), 1e-9, "second #{second}"
    end
  end

  def test_has_no_value_outside_of_its_samples
    found = trail({}, {units: 60}, {units: 70})
    assert_nil found.at(:units, 59)
    assert_nil found.at(:units, 121)
    assert_nil trail({units: 1}).at(:units, 0)
  end

  def test_points_need_all_their_figures
    found = trail({a: 1}, {a: 2, b: 3}, {b: 4}, {a: 5, b: 6})
    assert_equal [[60, 2, 3], [180, 5, 6]], found.points(:a, :b)
    assert_equal [0, 60, 180], found.points(:a).map(&:first)
  end

  def test_the_later_part_and_the_part_with_a_value
    found = trail({jit: 0}, {jit: 1}, {jit: 1})
    assert_equal 60, found.since(1).first_s
    assert_equal 60, found.since(60).first_s
    assert_nil found.since(121)
    assert_equal [60, 120], [found.with(:jit, 1).first_s, found.with(:jit, 1).last_s]
    assert_nil found.with(:jit, 2)
    assert_equal [60, nil], [found.first_with(:jit, 1), found.first_with(:jit, 2)]
  end

  # The last sample of a process that has ended has idle gauges.
  def test_means_leave_out_the_end_of_a_process
    found = trail({busy: 2}, {busy: 4}, {busy: 0, ended: true})
    assert_in_delta 3.0, found.mean(:busy)
    assert_nil trail({busy: 1, ended: true}).mean(:busy)
    assert_equal [2, 4], [found.median(:busy), found.max(:busy)]
    assert_nil trail({}).median(:busy)
  end

  def test_a_rate_at_ticks_is_over_the_ticks
    ticks = [[10, 1], [70, 31], [130, 31]].map { |at_s, busy_s| {ticked_ns: at_s * NS, busy_ns: busy_s * NS} }
    assert_in_delta 0.25, trail(*ticks).ticked_rate(:busy_ns), 1e-12
    assert_nil trail(ticks.first).ticked_rate(:busy_ns)
    assert_nil trail({ticked_ns: 5}, {ticked_ns: 9}).ticked_rate(:busy_ns)
  end

  # A process that began in the span began at zero.
  def test_a_rate_at_ticks_begins_with_the_process
    only = trail({since_s: 100, ticked_ns: 110 * NS, busy_ns: 4 * NS})
    assert_in_delta 0.4, only.ticked_rate(:busy_ns, born: true), 1e-12
    assert_nil only.ticked_rate(:busy_ns)
  end

  def test_a_container_has_no_pid
    assert SampleTrail.container?({pid: 0})
    refute SampleTrail.container?({pid: 7})
    refute SampleTrail.container?({})
  end
end
