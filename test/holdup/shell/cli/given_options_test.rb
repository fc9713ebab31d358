# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::CLI::GivenOptionsTest < Minitest::Test
  CLI = Holdup::CLI

  def given(command, *argv) = command::OPTIONS.parse(argv, now_s: 0)

  def test_the_same_command_again_has_no_output_options_and_no_password
    given = given(Holdup::Report::Command, "--json", "--limit=9", "--store", "postgres://me:secret@db/x",
      "--since=1h")
    assert_equal({"--since" => "1h", "--store" => "postgres://me:***@db/x"}, given.again)
  end

  def test_another_command_gets_the_options_that_mean_the_same_there
    given = given(Holdup::Report::Command, "--until", "1h", "--since", "2h", "--dir", "/d", "--kind", "job",
      "--queue", "mail", "--threads", "5")
    taken = given.for_commands(%w[advise capture doctor])
    assert_equal({"--since" => "2h", "--until" => "1h", "--kind" => "job"}, taken["advise"])
    assert_equal({"--dir" => "/d"}, taken["capture"], "its --until is a rule")
    assert_equal({"--dir" => "/d"}, taken["doctor"])
  end

  def test_a_replay_gets_the_promise_but_not_the_load_of_an_advice
    given = given(Holdup::Advise::Command, "--slo", "p99", "--load", "x2", "--queue", "mail", "--warm-up",
      "9s")
    assert_equal({"--slo" => "p99", "--warm-up" => "9s"},
      given.taken_by(Holdup::Advise::WhatifCommand::OPTIONS))
    assert_equal({"--warm-up" => "9s"}, given.taken_by(Holdup::Advise::VerifyCommand::OPTIONS))
  end

  def test_names_the_options_that_another_command_does_not_have
    given = given(Holdup::Advise::Command, "--load", "x2", "--app", "shop", "--db-connections", "4",
      "--store", "s")
    assert_equal %w[--load --app --db-connections], given.unknown_to(Holdup::Advise::KeepCommand::OPTIONS)
  end

  def test_a_time_ago_moves_on_with_the_clock_and_a_date_does_not
    assert given(Holdup::Fleet::Command).moves?("since")
    assert given(Holdup::Fleet::Command, "--since", "2h").moves?("since")
    refute given(Holdup::Fleet::Command, "--since", "1970-01-01T00:00:00Z").moves?("since")
  end

  def test_defaults_are_those_that_are_declared
    assert_equal({by: :name, sort: :stalled, format: :text, limit: 15, details: false},
      given(Holdup::Report::Command).with_defaults)
    assert_equal :json, given(Holdup::Report::Command, "--json").with_defaults[:format]
  end
end
