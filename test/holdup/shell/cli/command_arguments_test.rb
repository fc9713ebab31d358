# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::CLI::CommandArgumentsTest < Minitest::Test
  class Plain
    extend Holdup::CLI::CommandArguments

    OPTIONS = Holdup::CLI::Options.new("holdup plain [options]", [
      Holdup::Queries::Option.whole("--limit N", 1..99, "rows", default: 10),
      Holdup::Queries::SelectionOptions[:since]
    ])
  end

  class Own < Plain
    def self.keywords(given, console) = {rows: given.values.fetch(:limit), out: console.out}
  end

  FixedClock = Data.define(:realtime_s)

  def console = @console ||= Holdup::CLI::Console.new(out: StringIO.new, err: nil, env: {}, clock:)

  def clock = FixedClock.new(realtime_s: 1_790_000_000)

  def test_keywords_are_the_values_and_the_defaults
    assert_equal({limit: 10}, Plain.parse([], console))
    assert_equal({limit: 3}, Plain.parse(%w[--limit 3], console))
  end

  def test_a_command_can_make_its_own_keywords
    assert_equal({rows: 3, out: console.out}, Own.parse(%w[--limit 3], console))
  end

  def test_a_time_ago_is_relative_to_the_clock_of_the_console
    assert_equal clock.realtime_s - 7200, Plain.parse(%w[--since 2h], console).fetch(:since)
  end

  def test_help_needs_no_keywords
    found = Own.parse(%w[--help], console)
    assert_equal %i[help texts], found.keys
    assert_includes found[:help], "--limit N"
  end
end
