# frozen_string_literal: true

require "test_helper"
require "holdup/agent/jit"

class Holdup::Jit::RequestedModeTest < Minitest::Test
  def wish(value) = Holdup::Jit::RequestedMode.from(value)

  def version(text) = Holdup::RubyVersion.parse(text)

  def line(value, ruby, rubyopt = "", **jit)
    wish(value).rubyopt(version(ruby),
      Holdup::Jit::RubyOptions.read(env: {"RUBYOPT" => rubyopt}, cmdline: "/nowhere"), **jit)
  end

  def test_what_is_asked_for
    assert_equal [false, true, false, true], [nil, :on, :off, {after: :boot}].map { |value| wish(value).on? }
    assert_equal [false, true], [nil, :off].map { |value| wish(value).off? }
  end

  def test_arguments_of_enable
    given = {after: :boot, mem_size: 64, call_threshold: 31}
    assert_equal({mem_size: 64, call_threshold: 31}, wish(given).arguments(version("4.0.0")))
    assert_empty wish(given).arguments(version("3.4.5"))
    assert_empty wish(:on).arguments(version("4.0.0"))
  end

  def test_deep_statistics_are_for_a_share_of_the_processes
    assert_equal [{stats: :quiet}, {}], [0.05, 0.1].map { |chance| wish({stats: :quiet}).deep(chance) }
    assert_equal({stats: :quiet}, wish({stats: :quiet, stats_share: 1}).deep(0.999))
    assert_empty wish(:on).deep(0.0)
    assert_nil line({stats: :quiet}, "3.3.8")
  end

  def test_rubyopt_for_what_enable_does_not_take
    assert_equal "--yjit-disable --yjit-mem-size=64 --yjit-call-threshold=31",
      line({mem_size: 64, call_threshold: 31}, "3.4.5")
    assert_equal "--yjit-disable --yjit-exec-mem-size=20", line({mem_size: 64}, "3.3.8")
    assert_nil line({mem_size: 64}, "4.0.0")
    assert_nil line(:on, "3.3.8")
    assert_nil line({mem_size: 64}, "3.4.5", "--yjit-disable --yjit-mem-size=64")
    assert_equal "--yjit-disable --yjit-mem-size=64", line({mem_size: 64}, "3.4.5", "--yjit-mem-size=32")
  end

  def test_zjit_takes_its_options_only_when_ruby_starts
    wanted = {mem_size: 64, call_threshold: 31}
    assert_equal "--zjit-disable --zjit-mem-size=64 --zjit-call-threshold=31",
      line(wanted, "4.0.0", jit: :zjit)
    assert_nil line(wanted, "4.0.0", "--zjit-disable --zjit-mem-size=64 --zjit-call-threshold=31", jit: :zjit)
    assert_nil line(:on, "4.0.0", jit: :zjit)
  end
end
