# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "open3"
require "rbconfig"

class Holdup::Lab::Child::SignalsTest < Minitest::Test
  SCRIPT = <<~RUBY
    require "holdup/loader"
    me = ->(name) { Process.kill(name, Process.pid) }
    begin
      Holdup::Lab::Child::Signals.first_only do
        me.call(ARGV[0])
        IO.select(nil, nil, nil, 10)
      ensure
        3.times { me.call(:INT) && me.call(:TERM) }
        IO.select(nil, nil, nil, 0.05)
        puts "cleaned up"
      end
    rescue SignalException => error
      puts error.signo
    end
    puts Holdup::Lab::Child::Signals.first_only { trap("HUP", "DEFAULT"); "value" }, trap("INT", "DEFAULT")
  RUBY

  def test_the_first_ends_the_block_and_later_ones_do_nothing
    %w[INT TERM HUP].each do |name|
      out, status = Open3.capture2e(RbConfig.ruby, "-I#{File.expand_path("../../../../../lib", __dir__)}",
        "-e",
        SCRIPT, name)
      assert_equal ["cleaned up", Signal.list[name].to_s, "value", "DEFAULT"], out.lines(chomp: true)
      assert_predicate status, :success?
    end
  end

  LATER = <<~RUBY
    require "holdup/loader"
    begin
      Holdup::Lab::Child::Signals.later do
        2.times { Process.kill(ARGV[0], Process.pid) }
        IO.select(nil, nil, nil, 0.05)
        puts "whole"
      end
    rescue SignalException => error
      puts error.signo
    end
  RUBY

  def test_what_must_not_be_torn_apart_is_done_first
    out, = Open3.capture2e(RbConfig.ruby, "-I#{File.expand_path("../../../../../lib", __dir__)}", "-e", LATER,
      "TERM")
    assert_equal ["whole", Signal.list["TERM"].to_s], out.lines(chomp: true)
  end
end
