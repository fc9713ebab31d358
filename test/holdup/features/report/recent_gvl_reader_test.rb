# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::RecentGvlReaderTest < Minitest::Test
  Gvl = Holdup::Analysis::GvlOverTime
  NS = 1_000_000_000
  STEP_S = Holdup::RecentFigures::STEP_S
  Snapshot = Data.define(:setting)

  # No two of them are as strong.
  def sample
    @sample ||= begin
      units = SampleWindows::STOREFRONT.each_with_index.to_h do |(name, shape), at|
        [name, {**shape, blame: 9 + at}]
      end
      SampleWindows.new(units:)
    end
  end

  # All that a process did in a minute.
  def process(windows)
    units = windows.select { |window| window.series.unit? }
    sums = units.map(&:sums).reduce { |one, other| one.merge(other) { |_, left, right| left + right } }
    stalled = Holdup::Histogram.sum(units.map { |unit| unit.histograms[:stalled] })
    sample.window("worker 0", kind: :process, queue: nil, start_s: windows.first.start_s,
      count: units.sum(&:count), sums:, histograms: {stalled:})
  end

  def minutes
    @minutes ||= sample.stored.group_by(&:start_s).transform_values { |same| [*same, process(same)] }
  end

  # What ended in a minute comes with its first round.
  # @return [Array<Holdup::RecentFigures>]
  def figures
    rounds = Holdup::Collector::RecentRounds.new(host: "web-1")
    snapshots = [Snapshot.new(setting: minutes.values.first.first.setting)]
    rounds.call([], snapshots, sample.from_s * NS)
    rounds.committed
    (sample.from_s...sample.to_s).step(STEP_S).map do |at_s|
      rounds.call(minutes.fetch(at_s, []), snapshots, (at_s + STEP_S) * NS).tap { rounds.committed }
    end
  end

  def store(figures = self.figures)
    Holdup::Store.open("memory:").tap do |store|
      store.commit(minutes.values.flatten, {})
      figures.each { |one| store.commit([], {}, recent: one) }
    end
  end

  def series
    at_s = (sample.from_s...sample.to_s).step(STEP_S).to_a
    Holdup::Analysis::TimeSeries.new(at_s:, step_s: STEP_S, to_s: sample.to_s, windows: {})
  end

  def filter(**chosen) = Holdup::Analysis::UnitFilter.new(**chosen)

  def recent(store = self.store, **chosen)
    Holdup::Report::RecentGvlReader.call(store, series, filter: filter(**chosen))
  end

  def by_minutes(store)
    span = {from_s: sample.from_s, to_s: sample.to_s, filter:}
    series = Holdup::Queries::TimeSeriesQuery.call(store, **span, histograms: [])
    Holdup::Report::GvlOverTimeReader.call(store, series, **span)
  end

  # @return [Hash] means of six steps
  def per_minute(layers)
    layers.transform_values { |values| values.each_slice(6).map { |six| six.sum / 6 } }
  end

  def test_six_steps_say_what_their_minute_says
    store = self.store
    fine, coarse = recent(store), by_minutes(store)

    assert_equal [coarse.names, nil], [fine.names, fine.server]
    assert_equal coarse.threads.uniq, fine.threads.uniq
    {waiting: [fine.waiting, coarse.waiting], held: [fine.held, coarse.held]}.each do |what, (steps, whole)|
      assert_equal whole.keys, steps.keys
      per_minute(steps).each do |party, values|
        values.zip(whole.fetch(party)) do |one, other|
          assert_in_delta other, one, 1e-6, "#{what}: #{party.name}"
        end
      end
    end
  end

  def test_a_step_without_a_round_is_unknown
    found = recent(store(figures.reject { |one| one.start_s == sample.from_s + STEP_S }))

    assert_nil found.total[1]
    assert_nil found.threads[1]
    assert_operator found.total[0], :>, 0
    assert_in_delta 0.0, found.total[2]
  end

  # A collector that gets no CPU comes late.
  def test_a_long_round_speaks_for_the_steps_that_it_covers
    late = figures.reject { |one| one.start_s == sample.from_s + STEP_S }
    late[0] = late[0].with(length_ms: 2 * late[0].length_ms)
    found, whole = recent(store(late)), recent

    assert_in_delta whole.total[0] / 2, found.total[0]
    assert_equal found.total[0], found.total[1]
    assert_equal whole.total[2], found.total[2]
  end

  def test_hosts_add_up
    all = figures.flat_map { |one| [one, one.with(host: "web-2")] }
    one, both = recent, recent(store(all))

    assert_in_delta 2 * one.total.sum, both.total.sum, 1e-6
    assert_in_delta one.held[one.names.first].sum, both.held[one.names.first].sum, 1e-6
    assert_equal one.threads.map { |count| 2 * count }, both.threads
  end

  def test_minutes_have_to_do_for_chosen_victims_and_for_former_rounds
    assert_nil recent(name: "Orders*")
    assert_nil recent(store(figures.map.with_index { |one, at| at.zero? ? one.with(waited: nil) : one }))
    assert_nil recent(store([]))
  end
end
