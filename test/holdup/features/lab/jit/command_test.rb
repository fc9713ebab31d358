# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Lab::Jit::CommandTest < Minitest::Test
  include CommandLine

  Lab = Holdup::Lab

  def test_the_command
    said = holdup("lab", "jit", "--mem-size", "0", "--rate", "1", "--url", "/", "--", "puma")
    assert_match(/--mem-size can't be "0"/, said.err)
    assert_match(/lab jit needs the command of a server/, holdup("lab", "jit", "--rate", "1").err)
    console = Struct.new(:clock, :env).new(CommandLine::Still.new(now_s: 0), {})
    parsed = Lab::Command.parse(%w[jit --mem-size 8 --rate 5 --url / -- puma], console)
    plan = parsed[:values][:ledger].plan
    assert_equal [["off", "off (again)", "at boot", "after boot", "after boot, 8 MiB"], 90],
      [plan.arms.map(&:name), plan.warm_up_s]
    parsed = Lab::Command.parse(%w[jit --arms after --rate 5 --url / -- puma], console)
    assert_equal ["off", "off (again)", "after boot"], parsed[:values][:ledger].plan.arms.map(&:name)
    assert_match(/--arms can't be "later"/, holdup("lab", "jit", "--arms", "later").err)
  end
end
