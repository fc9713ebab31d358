# frozen_string_literal: true

require "test_helper"
require "holdup/model/lever"

class Holdup::LeverTest < Minitest::Test
  LEVER = Holdup::Lever.new(name: "concurrency a.b", value: 3, write: "concurrency = N",
    how: :sidekiq_capsule, facts: {"capsule" => "a.b"}, where: "config/sidekiq.rb:3")

  def test_a_profile_keeps_it
    profile = LEVER.to_profile
    assert_equal "a.b", profile["lever.concurrency a.b.how.capsule"]
    known = Holdup::Lever.all({"server" => "x", **profile})
    assert_equal LEVER.with(how: "sidekiq_capsule"), known.fetch(LEVER.name)
  end

  def test_samples_have_symbols_as_keys
    found = Holdup::Lever.all({"lever.threads.write": "threads N", "lever.threads.value": false})
    assert_equal Holdup::Lever.new(name: "threads", value: false, write: "threads N", live: nil),
      found.fetch("threads")
  end

  def test_places
    place = Holdup::SettingPlace
    assert_equal "MAX", place.variable_of(place.variable("MAX"))
    assert_nil place.variable_of("config/puma.rb:3")
    assert place.command_line?(place::COMMAND_LINE)
    refute place.command_line?(nil)
  end
end
