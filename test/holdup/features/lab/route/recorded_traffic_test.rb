# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Lab::RecordedTrafficTest < Minitest::Test
  MINUTES = 20
  BUSIEST = MINUTES - 1

  # Of two hosts alike; in one minute A comes ten times as often.
  def setup
    @store = Holdup::Store.open("memory:")
    windows = MINUTES.times.flat_map { |minute|
      {"A#a" => (minute == BUSIEST) ? 570 : 60, "B#b" => 30,
       "C#create" => 10}.flat_map { |name, count| hosts(name, minute, count) }
    }
    @store.commit(windows, {},
      paths: {series("A#a") => "/a", series("B#b") => "/b/7", series("D#gone") => "/d"})
  end

  def hosts(name, minute, count)
    window = SampleWindows.new.window(name, start_s: SampleWindows::START_S + minute * 60, count:,
      sums: {cpu_ns: (name == "C#create") ? 2510 : 0})
    %w[web-1 web-2].map { |host| window.with(host:) }
  end

  def series(name)
    Holdup::Series.new(kind: :request, name:)
  end

  def recorded(minutes = MINUTES, **options)
    from_s = SampleWindows::START_S
    Holdup::Lab::Route::RecordedTraffic.read(@store, from_s, from_s + minutes * 60, **options)
  end

  def test_requests_by_their_share
    assert_equal ["681.275 GET /a", "239.044 GET /b/7"], recorded.lines
    assert_equal %w[A#a B#b], recorded.known.map(&:name)
    assert_equal recorded.lines,
      Holdup::Lab::Route::Lines.routes(recorded.lines).map { |route| "#{route.weight} #{route.label}" }
  end

  def test_the_rate_of_a_busy_minute_of_a_host
    assert_in_delta 10.0, recorded.rate
    assert_equal [5.0, 10.0, 15.0, 20.0], recorded.ladder
    assert_in_delta 1.5, recorded(BUSIEST).rate
  end

  def test_what_is_left_out
    assert_equal({endpoints: 2, rate: 10.0, left: ["C#create"], left_share: 0.0797, left_cpu: 1.0},
      recorded.to_h)
    assert_equal ["681.275 GET /a # A#a", "239.044 GET /b/7 # B#b", "79.681 GET /... # C#create"],
      recorded.outline
  end

  def test_of_one_application_in_a_store_of_several
    shop, other = %w[shop other].map { |app| Holdup::Setting.new(attributes: {"app" => app}) }
    @store.commit(
      [shop, other].flat_map { |setting| hosts("A#a", 0, 90).map { |window| window.with(setting:) } }, {}
    )
    assert_equal %w[other shop], recorded.apps
    assert_equal [180, 1.5, %w[shop]],
      recorded(app: "shop").then { |one| [one.endpoints.sum(&:count), one.rate, one.apps] }
  end

  # What is rare may come seldom, but it has to be a weight.
  def test_the_smallest_weight
    @store.commit(hosts("E#rare", 0, 1) + hosts("A#a", 0, 40_000_000), {}, paths: {series("E#rare") => "/e"})
    assert_equal "0.001 GET /e", recorded.lines.last
  end

  def test_nothing_was_recorded
    assert_equal [[], [], 0.0], recorded(0).then { |none| [none.endpoints, none.lines, none.rate] }
  end
end
