# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Lab::SidekiqVcpu::CommandTest < Minitest::Test
  include CommandLine

  Command = Holdup::Lab::SidekiqVcpu::Command
  # Starts nothing; keeps what it was made of.
  class NoLab
    attr_reader :asked

    def new(**asked)
      @asked = asked
      self
    end

    def call = raise(Holdup::Error.new("no Redis", "install it"))
  end

  def lab = @lab ||= NoLab.new

  def command(*argv)
    console = Holdup::CLI::Console.new(out: StringIO.new, err: StringIO.new, env: {},
      clock: CommandLine::Still.new(now_s: 0))
    Command.new(console:, lab:, **Command.parse(argv, console))
  end

  def test_what_an_experiment_is_unless_it_is_said
    command
    assert_equal [5, 2, 0.6, nil], lab.asked.values_at(:seconds, :repeats, :target, :redis_url)
  end

  def test_its_options
    command("--seconds", "0.5", "--repeat", "3", "--autoscale-target", "75", "--redis-url", "redis://r/1")
    assert_equal [0.5, 3, 0.75, "redis://r/1"], lab.asked.values_at(:seconds, :repeats, :target, :redis_url)
  end

  def test_what_can_not_be
    {%w[--repeat 0] => /--repeat can't be "0"/, %w[--autoscale-target 101] => /--autoscale-target can't be/,
     %w[--seconds 601] => /--seconds can't be/, %w[now] => /takes no argument/}.each do |argv, message|
      error = assert_raises(Holdup::UsageError, argv) { command(*argv) }
      assert_match message, error.message
    end
  end

  def test_a_lab_that_fails_says_why
    error = assert_raises(Holdup::Error) { command.run }
    assert_includes error.message, "no Redis"
  end
end
