# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::CLI::Lab::TrialOptionsTest < Minitest::Test
  include TemporaryFolder

  TrialOptions = Holdup::CLI::Lab::TrialOptions
  REST = ["--rate", "40", "--url", "/", "--", "puma"].freeze

  def test_lengths_of_an_experiment_that_names_none
    made = plan(*REST)
    assert_equal 20, made.seconds
    assert_equal 2, made.rounds
    assert_equal 45, made.warm_up_s
  end

  def test_an_experiment_may_have_other_lengths
    made = plan(*REST, spans: {seconds: 60, rounds: 1})
    assert_equal 60, made.seconds
    assert_equal 1, made.rounds
    assert_equal 45, made.warm_up_s
  end

  def test_given_lengths_win
    made = plan("--seconds", "1.5", "--rounds", "100", "--warm-up", "3600", *REST, spans: {seconds: 60})
    assert_in_delta 1.5, made.seconds
    assert_equal 100, made.rounds
    assert_in_delta 3600, made.warm_up_s
  end

  def test_refuses_lengths_out_of_range
    {"--seconds" => %w[0 0.9 3601 long], "--rounds" => %w[0 101 1.5], "--warm-up" => %w[0 3601]}
      .each do |option, texts|
      texts.each do |text|
        error = assert_raises(Holdup::UsageError, "#{option} #{text}") { parse(option, text, *REST) }
        assert_includes error.message, "#{option} can't be #{text.inspect}"
      end
    end
  end

  def test_refuses_a_promise_without_a_time
    error = assert_raises(Holdup::UsageError) { parse("--slo", "fast", *REST) }
    assert_match(/--slo can't be "fast"; it takes a percentile from p50 on/, error.message)
    assert_equal "p95=300ms", parse("--slo", "p95=300ms", *REST).fetch(:slo)
  end

  def test_one_format_at_a_time
    assert_equal :json, parse("--json", "--json", *REST).fetch(:format)
    assert_equal :markdown, parse("--markdown", *REST).fetch(:format)
    [%w[--json --markdown], %w[--markdown --json]].each do |words|
      error = assert_raises(Holdup::UsageError, words.join(" ")) { parse(*words, *REST) }
      assert_match(/--json and --markdown can't be combined/, error.message)
    end
  end

  def test_needs_the_command_of_a_server
    error = assert_raises(Holdup::UsageError) { plan("--rate", "40", "--url", "/") }
    assert_match(/lab mine needs the command of a server/, error.message)
  end

  def test_options_after_two_dashes_belong_to_the_command
    assert_equal %w[puma --json -p {port}],
      parse("--rate", "40", "--", "puma", "--json", "-p", "{port}").fetch(:command)
  end

  def test_a_wrong_value_is_shortened
    error = assert_raises(Holdup::UsageError) { TrialOptions.refuse("--arm", "x" * 5000, "a name") }
    assert_operator error.message.size, :<, 200
    assert_match(/\A--arm can't be "x+"; it takes a name\z/, error.message)
  end

  def test_help_names_the_experiment
    assert_includes parse("--help").fetch(:help), "holdup lab mine --arm NAME [options] -- COMMAND"
  end

  private

  def options(**)
    console = Holdup::CLI::Console.new(out: StringIO.new, err: StringIO.new, env: {"PATH" => folder},
      clock: CommandLine::Still.new(now_s: 0))
    TrialOptions.new("mine", usage: "--arm NAME", console:, **)
  end

  def parse(*argv)
    options.parse(argv) { |_parser, _values| }
  end

  def plan(*argv, **)
    options = options(**)
    values = options.parse(argv) { |_parser, _values| }
    arm = Holdup::Lab::Arm.new(processes: 1, threads: 5)
    options.keywords(values) { [[arm], arm] }.fetch(:ledger).plan
  end
end
