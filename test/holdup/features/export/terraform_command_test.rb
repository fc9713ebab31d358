# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Export::TerraformCommandTest < Minitest::Test
  include CommandLine

  def test_prints_a_file_for_terraform
    result = holdup("terraform", "--log-group", "/ecs/shop", "--app", "shop", "--region", "eu-central-1",
      "--memory", "700")
    assert_equal [0, ""], [result.status, result.err]
    defaults = TerraformFile.new(result.out).variables.transform_values { |variable| variable["default"] }
    expected = {"holdup_alarm_actions" => [], "holdup_log_group" => "/ecs/shop",
                "holdup_region" => "eu-central-1"}
    assert_equal expected, defaults
    assert_includes result.out, (700 << 20).to_s
  end

  def test_what_is_not_given_terraform_asks_for
    variables = TerraformFile.new(holdup("terraform").out).variables
    asked_for = variables.reject { |_, variable| variable.key?("default") }
    assert_equal %w[holdup_log_group holdup_region], asked_for.keys
  end

  def test_wrong_and_contradictory_options
    {
      %w[--log-group a\ b] => /a log group's name/,
      %w[--region Frankfurt] => /a region/,
      %w[--namespace AWS/EC2] => /does not start with AWS/,
      %w[--app a"b] => /a name of letters/,
      %w[--memory 1] => /whole number/,
      %w[--format xml] => /json, emf/,
      %w[--format emf] => /needs --server/,
      %w[--format emf --server puma --log-group x] => /has no use with --format emf/,
      %w[more] => /takes no argument/
    }.each do |arguments, message|
      result = holdup("terraform", *arguments)
      assert_equal [2, ""], [result.status, result.out], arguments.join(" ")
      assert_match message, result.err
    end
  end

  def test_help
    assert_includes holdup("terraform", "--help").out, "Usage: holdup terraform [options] > holdup.tf.json"
    assert_includes holdup("help", "--all").out, "terraform"
  end
end
