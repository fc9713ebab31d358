# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"
require_relative "sidekiq_vcpu/sample_outcomes"

class Holdup::Lab::CommandTest < Minitest::Test
  include CommandLine

  # Has the result ready.
  class Finished
    attr_reader :given

    def new(progress:, **given)
      @given = given
      @progress = progress
      self
    end

    def call
      Holdup::Lab::SidekiqVcpu::EXPERIMENTS.each { |experiment| @progress.call(experiment, 1) }
      SampleOutcomes.new.result
    end
  end

  def said(**options)
    out = StringIO.new
    err = StringIO.new
    console = Holdup::CLI::Console.new(out:, err:, env: {"PATH" => "/bin"}, clock: nil)
    @lab = Finished.new
    status = Holdup::Lab::SidekiqVcpu::Command.new(console:, lab: @lab, **options).run
    CommandLine::Said.new(status:, out: out.string, err: err.string)
  end

  def test_lists_its_experiments
    [holdup("lab", "--help"), holdup("help", "lab")].each do |answer|
      assert_equal [0, ""], [answer.status, answer.err]
      assert_match(/^    holdup lab sidekiq-vcpu +why CPU % halves/, answer.out)
      answer.out.each_line(chomp: true) { |line| assert_operator line.size, :<=, 80, line }
    end
  end

  def test_shows_the_options_of_one
    help = holdup("lab", "sidekiq-vcpu", "--help")
    assert_equal 0, help.status
    %w[--seconds --repeat --redis-url --autoscale-target --json --lang].each { |option|
      assert_includes help.out, option
    }
  end

  def test_lists_the_experiments
    assert_equal holdup("lab", "--help"), holdup("lab")
    assert_match(/^    holdup lab sweep +your server/, holdup("lab").out)
  end

  def test_asked_wrongly
    {["--seconds", "1"] => /lab/,
     ["sidekiq-vcpus"] => /no experiment "sidekiq-vcpus"; did you mean sidekiq-vcpu\?/,
     ["other"] => /no experiment "other"; it is one of .*sidekiq-vcpu/,
     ["sidekiq-vcpu", "--seconds",
       "0"] => /--seconds can't be "0"; it takes a number of seconds from 0.1 to 600/,
     ["sidekiq-vcpu", "--repeat", "0"] => /--repeat can't be "0"/,
     ["sidekiq-vcpu", "--autoscale-target", "101"] => /from 1 to 100/,
     ["sidekiq-vcpu", "now"] => /takes no argument "now"/,
     ["sidekiq-vcpu", "--lang", "fr"] => /unknown language "fr"/}.each do |arguments, message|
      answer = holdup("lab", *arguments)
      assert_equal [2, ""], [answer.status, answer.out], arguments
      assert_match message, answer.err
    end
  end

  def test_prints_the_result
    answer = said(seconds: 3, repeats: 2, target: 70, redis_url: "redis://x")
    assert_equal 0, answer.status
    assert_includes answer.out, "alarm 60 %"
    assert_equal ["running 1 of 2: alone", "running 1 of 2: two threads"],
      answer.err.lines(chomp: true).first(2)
    assert_equal({seconds: 3, repeats: 2, target: 0.7, redis_url: "redis://x", env: {"PATH" => "/bin"}},
      @lab.given)
  end

  def test_prints_it_for_programs_and_in_japanese
    assert_equal "sidekiq-vcpu", JSON.parse(said(format: :json).out)["lab"]
    assert_match(/\A計算するジョブ/, said(language: "ja").out)
  end

  def test_without_a_redis_says_how_to_get_one
    answer = holdup("lab", "sidekiq-vcpu", env: {"PATH" => "/nonexistent"})
    assert_equal [1, ""], [answer.status, answer.out]
    assert_match(/\Aholdup: redis-server is not installed on this machine; install it /, answer.err)
    assert_match(/bin\/setup --services.*--redis-url/, answer.err)
  end

  # @return [String] for RUBYLIB
  def paths(gems)
    gems.flat_map { |name| Gem.loaded_specs.fetch(name).full_require_paths }.join(":")
  end

  def test_without_a_sidekiq_says_where_to_run_it
    Dir.mktmpdir do |empty|
      answer = holdup_process(
        "lab",
        "sidekiq-vcpu",
        env: {
          **OtherBundle::NONE,
          "GEM_HOME" => empty,
          "GEM_PATH" => empty,
          "RUBYLIB" => paths(%w[zeitwerk i18n concurrent-ruby unicode-display_width unicode-emoji])
        }
      )
      assert_equal [1, ""], [answer.status, answer.out]
      missing = /\Aholdup: Sidekiq 7\.0 or newer is not installed here/
      assert_match(/#{missing} \(.*sidekiq.*\); run it where yours is \(`bundle exec holdup/, answer.err)
    end
  end

  def test_a_sidekiq_that_is_too_old
    error = assert_raises(Holdup::UnsupportedError) { Holdup::Lab::SidekiqVcpu::Library.check("6.5.12") }
    assert_match(/the bundle has 6.5.12/, error.message)
    assert_nil Holdup::Lab::SidekiqVcpu::Library.check("7.0.0")
  end

  def test_with_a_redis_that_does_not_answer
    answer = holdup("lab", "sidekiq-vcpu", "--seconds", "0.1", "--redis-url", "redis://127.0.0.1:1/0")
    assert_equal 1, answer.status
    assert_match(/Redis does not answer \(.*\); check --redis-url and that it runs$/, answer.err)
  end
end
