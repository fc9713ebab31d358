# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../../support/played_store"

class Holdup::Scaling::ReaderTest < Minitest::Test
  one_ruby

  Sizing = Holdup::Advise::Sizing
  PLAYED = PlayedStore.new(PlayedRecording.new(minutes: 12), facts: {"app" => "shop", "revision" => "a"})

  def ask(*played, host: nil, slo: "p95=200ms", to_s: played.map(&:to_s).max)
    store = Holdup::Store.open("memory:")
    played.each { |one| one.fill(store) }
    Holdup::Scaling::Reader.new(store, from_s: to_s - 7200, to_s:, slo: Sizing::Slo.parse(slo), host:,
      units: 3000).call
  end

  def test_load_and_capacity_of_each_role
    found, = ask(PLAYED)
    assert_equal ["shop", "puma", :request, 1], [found.app, found.role, found.kind, found.hosts]
    assert_in_delta 25, found.rate, 8
    assert_operator found.capacity.per_second, :>, found.rate
    assert_in_delta found.rate / found.capacity.per_second, found.load_ratio, 1e-9
    refute_nil found.queued_p95_ns
  end

  def test_a_release_uses_the_recording_of_the_one_before
    released = PlayedStore.new(PlayedRecording.new(minutes: 1), facts: {"app" => "shop", "revision" => "b"},
      from_s: PLAYED.to_s, booted_s: PLAYED.to_s, pid: 8)
    before, = ask(PLAYED)
    after, = ask(PLAYED, released)
    assert_equal before.shape, after.shape
    assert_in_delta before.capacity.per_second, after.capacity.per_second, 1e-6
  end

  def test_another_setting_has_no_capacity_yet
    other = PlayedStore.new(PlayedRecording.new(minutes: 1, threads: 3), facts: {"app" => "shop"},
      from_s: PLAYED.to_s, booted_s: PLAYED.to_s, pid: 8)
    found, = ask(PLAYED, other)
    assert_nil found.capacity.per_second
    refute_nil found.capacity.reason
  end

  def test_only_one_host
    assert_equal 1, ask(PLAYED, host: PlayedStore::HOST).size
    assert_empty ask(PLAYED, host: "other")
  end

  # Of another host nothing counts, however slow its requests are.
  def test_the_capacity_of_a_host_is_its_own
    slow = {"ReportsController#index" => [1.0, 60, 20, 6]}
    other = PlayedStore.new(PlayedRecording.new(minutes: 12, rate: 5.0, shapes: slow), host: "web-2", pid: 8,
      facts: {"app" => "shop", "revision" => "a"})
    alone, beside = [[PLAYED], [PLAYED, other]].map { |played| ask(*played, host: PlayedStore::HOST) }
    assert_equal alone, beside
  end

  # A pod that has just begun.
  def test_a_new_host_uses_the_recording_of_the_others
    store = Holdup::Store.open("memory:").tap { |one| PLAYED.fill(one) }
    last = PLAYED.send(:windows).last(2).map { |window| window.with(host: "web-2") }
    store.commit(last, {})
    query = ->(host) {
      Holdup::Scaling::Reader.new(store, from_s: PLAYED.from_s, to_s: PLAYED.to_s, host:, units: 3000,
        slo: Sizing::Slo.parse("p95=200ms")).call.first
    }
    old, new = %w[web-1 web-2].map(&query)
    assert_in_epsilon old.capacity.per_second, new.capacity.per_second, 1e-6
    assert_in_epsilon old.rate, new.rate, 0.2
  end

  # One that is gone takes nothing any more, and one that has just begun had no part in the time before.
  def test_the_rate_of_a_host_is_over_the_time_that_it_was_there
    past = PlayedStore.new(PlayedRecording.new(minutes: 4), host: "web-0", pid: 6, facts: {"app" => "shop"})
    late = PlayedStore.new(PlayedRecording.new(minutes: 2, swing: 0.0), host: "web-2", pid: 8,
      from_s: PLAYED.to_s - 120, facts: {"app" => "shop"})
    alone, = ask(PLAYED)
    found, = ask(PLAYED, past, late)
    assert_equal 2, found.hosts
    assert_in_epsilon alone.rate, found.rate, 0.1
  end

  def test_nothing_was_recorded
    assert_empty ask(to_s: PLAYED.to_s)
  end
end
