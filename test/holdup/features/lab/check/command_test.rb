# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# What it compares is in check_test.rb and sources_test.rb.
class Holdup::Lab::Check::CommandTest < Minitest::Test
  NOW_S = 1_790_000_000

  def keywords(*argv)
    console = Holdup::CLI::Console.new(out: StringIO.new, err: nil, env: {},
      clock: CommandLine::Still.new(now_s: NOW_S))
    Holdup::Lab::Check::Command.parse(argv, console)
  end

  def refused(*argv)
    error = assert_raises(Holdup::UsageError, argv) { keywords(*argv) }
    [error.message, error.advice].join(" ")
  end

  def test_of_a_store_it_takes_the_last_hour
    found = keywords("--baseline", "b.json")
    assert_equal [NOW_S - 3600, NOW_S], found.values_at(:from_s, :to_s)
    assert_in_delta 0.1, found[:tolerance]
  end

  def test_of_another_span
    found = keywords("--baseline", "b.json", "--since", "3h", "--until", "1h", "--tolerance", "5%")
    assert_equal 7200, found[:to_s] - found[:from_s]
    assert_in_delta 0.05, found[:tolerance]
    refute_includes found, :since
  end

  def test_needs_a_baseline
    assert_match(/lab check needs a baseline.*--write makes it/, refused)
  end

  def test_a_sweep_is_a_recording_by_itself
    [%w[--store s], %w[--since 1h], %w[--until 1h]].each do |more|
      assert_match(/--sweep is a recording by itself/, refused("--baseline", "b", "--sweep", "s", *more))
    end
    assert_equal "s", keywords("--baseline", "b", "--sweep", "s")[:sweep]
  end

  def test_a_file_that_is_no_baseline_is_said
    console = Holdup::CLI::Console.new(out: StringIO.new, err: StringIO.new, env: {}, clock: nil)
    assert_raises(Holdup::Error) do
      Holdup::Lab::Check::Command.new(console:, baseline: "/nonexistent/b.json").run
    end
  end
end
