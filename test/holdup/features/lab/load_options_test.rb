# frozen_string_literal: true

require "test_helper"
require "support/fake_program"
require "holdup/loader"

class Holdup::Lab::LoadOptionsTest < Minitest::Test
  include FakeProgram
  include TemporaryFolder

  LoadOptions = Holdup::Lab::LoadOptions
  RecordedRate = Data.define(:rate) do
    def ladder = [rate, rate * 2]
  end

  def test_rates_are_sorted_and_each_is_measured_once
    assert_equal [0.5, 20.0, 80.0], plan("--ladder", "80,20,0.5,80", "--url", "/").fetch(:rates)
    assert_equal [100_000.0], plan("--rate", "100000", "--url", "/").fetch(:rates)
  end

  # An empty text is that of a variable of the shell that is not set.
  def test_refuses_rates_that_can_not_be_sent
    ["", ",", "0", "-1", "nan", "Infinity", "100001", "fast", "20,,40", "20,0"].each do |text|
      %w[--rate --ladder].each do |option|
        error = assert_raises(Holdup::UsageError, "#{option} #{text.inspect}") { plan(option, text) }
        assert_includes error.message, "#{option} can't be #{text.inspect}"
      end
    end
  end

  def test_connections_are_sorted_and_each_is_measured_once
    fake_program("wrk", "")
    assert_equal [1, 5, 1000], plan("--connections", "1000,5,1,5", "--url", "/").fetch(:rates)
  end

  def test_refuses_connections_that_can_not_be_opened
    ["", ",", "0", "1001", "2.5", "few", "5,,1"].each do |text|
      error = assert_raises(Holdup::UsageError, text.inspect) { plan("--connections", text) }
      assert_match(/--connections can't be/, error.message)
    end
  end

  def test_one_load_is_needed
    wrong = [[], %w[--rate 1 --ladder 1,2], %w[--rate 1 --connections 4], %w[--ladder 1 --connections 4]]
    wrong.each do |words|
      error = assert_raises(Holdup::UsageError, words.join(" ")) { plan(*words, "--url", "/") }
      assert_match(/lab sweep needs one load/, error.message)
    end
  end

  def test_connections_take_the_first_closed_tool_that_is_installed
    fake_program("hey", "")
    assert_equal "hey", plan("--connections", "4", "--url", "/").fetch(:tool)
    fake_program("wrk", "")
    assert_equal "wrk", plan("--connections", "4", "--url", "/").fetch(:tool)
  end

  def test_a_rate_takes_the_built_in_load
    fake_program("wrk", "")
    assert_nil plan("--rate", "4", "--url", "/").fetch(:tool)
  end

  def test_requests_of_the_command_line_and_of_a_file_are_sent_together
    file = File.join(folder, "requests")
    File.write(file, "10 GET /products\nPOST /orders\n")
    assert_equal ["/a", "/b", "10 GET /products", "POST /orders"],
      plan("--rate", "4", "--url", "/a", "--requests", file, "--url", "/b").fetch(:requests)
  end

  def test_refuses_lines_that_are_not_requests
    error = assert_raises(Holdup::UsageError) { plan("--rate", "4", "--url", "products") }
    assert_includes error.message, "products"
  end

  def test_a_port_is_in_the_plan_only_when_it_is_given
    refute plan("--rate", "4", "--url", "/").key?(:port)
    assert_equal 65_535, plan("--rate", "4", "--url", "/", "--port", "65535").fetch(:port)
    %w[0 65536 web].each do |text|
      assert_raises(Holdup::UsageError, text) { plan("--rate", "4", "--url", "/", "--port", text) }
    end
  end

  def test_a_recording_of_less_than_a_request_a_second_has_no_ladder
    recorded = LoadOptions::RecordedRequests.new(console)
    assert_equal [1.0, 2.0], recorded.ladder(RecordedRate.new(rate: 1.0))
    error = assert_raises(Holdup::UsageError) { recorded.ladder(RecordedRate.new(rate: 0.25)) }
    assert_match(/only 0.25 requests a second were recorded/, error.message)
  end

  private

  def console
    Holdup::CLI::Console.new(out: StringIO.new, err: StringIO.new, env: {"PATH" => folder},
      clock: CommandLine::Still.new(now_s: 0))
  end

  def plan(*argv)
    options = LoadOptions.new("sweep", console:)
    given = Holdup::CLI::Options.new("x", LoadOptions::OPTIONS).parse(argv, now_s: 0)
    options.plan(given.values)
  end
end

class Holdup::Lab::Command::TrialOptionsTest < Minitest::Test
  include TemporaryFolder

  TrialOptions = Holdup::Lab::LoadOptions::TrialOptions
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
    assert_equal "p95=300ms", parse("--slo", "p95=300ms", *REST).values.fetch(:slo)
  end

  def test_one_format_at_a_time
    assert_equal :json, parse("--json", "--json", *REST).values.fetch(:format)
    assert_equal :markdown, parse("--markdown", *REST).values.fetch(:format)
    [%w[--json --markdown], %w[--markdown --json]].each do |words|
      error = assert_raises(Holdup::UsageError, words.join(" ")) { parse(*words, *REST) }
      assert_match(/#{words.join(" and ")} can't be combined/, error.message)
    end
  end

  def test_needs_the_command_of_a_server
    error = assert_raises(Holdup::UsageError) { plan("--rate", "40", "--url", "/") }
    assert_match(/lab mine needs the command of a server/, error.message)
  end

  def test_options_after_two_dashes_belong_to_the_command
    assert_equal %w[puma --json -p {port}],
      parse("--rate", "40", "--", "puma", "--json", "-p", "{port}").values.fetch(:command)
  end

  def test_a_wrong_value_is_shortened
    error = assert_raises(Holdup::UsageError) { TrialOptions.refuse("--arm", "x" * 5000, "a name") }
    assert_operator error.message.size, :<, 200
    assert_match(/\A--arm can't be "x+"; it takes a name\z/, error.message)
  end

  def test_help_names_the_experiment
    assert_includes parse("--help").options.help, "holdup lab mine --arm NAME [options] -- COMMAND"
  end

  private

  def options(**)
    console = Holdup::CLI::Console.new(out: StringIO.new, err: StringIO.new, env: {"PATH" => folder},
      clock: CommandLine::Still.new(now_s: 0))
    TrialOptions.new("mine", console:, **)
  end

  def parse(*argv)
    TrialOptions.options("mine", [], usage: "--arm NAME").parse(argv, now_s: 0)
  end

  def plan(*argv, **)
    options = options(**)
    values = parse(*argv).values
    arm = Holdup::Lab::Arm.new(processes: 1, threads: 5)
    options.keywords(values) { [[arm], arm] }.fetch(:ledger).plan
  end
end
