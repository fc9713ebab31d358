# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Queries::RequestCacheTest < Minitest::Test
  include ExampleUnits

  def test_what_is_asked_twice_is_read_once
    sample = SampleWindows.new
    store = Holdup::Store.open("memory:")
    store.commit(sample.to_a, {})
    remembered = Holdup::Queries::RequestCache.new(store)
    ask = -> { remembered.windows(sample.from_s, sample.to_s, kinds: [:request]) }
    assert_same ask.call, ask.call
    assert_equal store.windows(sample.from_s, sample.to_s, kinds: [:request]).to_a, ask.call
    refute_same ask.call, remembered.windows(sample.from_s, sample.to_s)
    assert_same remembered.health, remembered.health
    unit_samples = -> { remembered.unit_samples(sample.from_s, sample.to_s) }
    assert_same unit_samples.call, unit_samples.call
  end

  # A store that counts how often it is asked.
  class CountingStore < SimpleDelegator
    attr_reader :asked, :starts, :settings_asked

    def processes(...)
      @asked = @asked.to_i + 1
      super
    end

    def settings
      @settings_asked = @settings_asked.to_i + 1
      super
    end

    def unit_spans(starts)
      @starts = [*@starts, starts]
      super
    end
  end

  def test_settings_are_read_once_to_choose_from_and_to_show
    store = CountingStore.new(Holdup::Store.open("memory:"))
    store.commit(SampleWindows.new.to_a, {})
    remembered = Holdup::Queries::RequestCache.new(store)
    settings = remembered.settings
    Holdup::Queries::Origin::FACTS.each do |part|
      assert_equal Holdup::Queries::Origin.names(settings, part), remembered.names(part)
    end
    assert_equal 1, store.settings_asked
  end

  def test_ten_minutes_of_single_units_are_read_once_whatever_others_are_asked_for_with_them
    store = CountingStore.new(Holdup::Store.open("memory:"))
    store.commit([], {}, unit_samples: [block([unit_sample])])
    remembered = Holdup::Queries::RequestCache.new(store)
    later_s = START_S + 600
    [[START_S], [START_S, later_s], [later_s], [later_s, START_S]].each do |starts|
      assert_equal store.__getobj__.unit_spans(starts), remembered.unit_spans(starts)
    end
    assert_equal [[START_S], [later_s]], store.starts
  end

  def test_samples_of_a_long_span_do_for_one_that_is_a_little_longer
    store = CountingStore.new(Holdup::Store.open("memory:"))
    samples = (0..1500).map { |minute| {at_s: minute * 60 + 7, host: "h", pid: 1, rss_bytes: minute} }
    store.commit([], {}, processes: samples)
    remembered = Holdup::Queries::RequestCache.new(store)
    read = remembered.processes(3600, 90_001, every_s: 1440)
    assert_equal store.__getobj__.processes(3600, 90_001, every_s: 1440), read
    [1440, 1441].each { |every_s| assert_equal read, remembered.processes(3540, 90_061, every_s:) }
    assert_equal read.drop(1), remembered.processes(read.first[:at_s] + 1, 90_061, every_s: 1430)
    assert_equal 1, store.asked
    [[3540, 90_061, 720], [3000, 90_001, 1440], [3600, 90_001, nil]].each do |from_s, to_s, every_s|
      assert_equal store.__getobj__.processes(from_s, to_s, every_s:),
        remembered.processes(from_s, to_s, every_s:)
    end
    assert_equal 4, store.asked
  end

  def test_samples_at_both_ends_of_steps_and_of_some_hosts_are_questions_of_their_own
    store = CountingStore.new(Holdup::Store.open("memory:"))
    samples = (0..40).flat_map do |minute|
      %w[a b].map { |host| {at_s: minute * 60, host:, pid: 1, rss_bytes: minute} }
    end
    store.commit([], {}, processes: samples)
    remembered = Holdup::Queries::RequestCache.new(store)
    asked = [{every_s: 600}, {every_s: 600, ends: true}, {every_s: 600, hosts: %w[a]}, {hosts: %w[b]}]
    2.times do
      asked.each do |options|
        expected = store.__getobj__.processes(0, 2401, **options)
        assert_equal expected, remembered.processes(0, 2401, **options), options.inspect
      end
    end
    assert_equal 4, store.asked
  end

  def test_samples_around_a_span_are_read_with_it
    store = CountingStore.new(Holdup::Store.open("memory:"))
    samples = (0..20).map { |minute| {at_s: minute * 60 + 7, host: "h", pid: 1, rss_bytes: minute} }
    store.commit([], {}, processes: samples)
    remembered = Holdup::Queries::RequestCache.new(store)
    [[300, 901], [240, 961], [360, 367]].each do |span|
      assert_equal store.__getobj__.processes(*span), remembered.processes(*span)
    end
    assert_equal 1, store.asked
    assert_equal store.__getobj__.processes(0, 1300), remembered.processes(0, 1300)
    assert_equal store.__getobj__.processes(300, 901, every_s: 240),
      remembered.processes(300, 901, every_s: 240)
    assert_equal 3, store.asked
  end
end
