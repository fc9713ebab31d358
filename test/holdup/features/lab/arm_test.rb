# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Lab::ArmTest < Minitest::Test
  def arm(**values) = Holdup::Lab::Arm.new(**values)

  def test_sets_only_the_variables_of_what_it_changes
    assert_empty arm.env
    assert_equal({"WEB_CONCURRENCY" => "2"}, arm(processes: 2).env)
    assert_equal %w[5 5], arm(threads: 5).env.values_at("RAILS_MAX_THREADS", "PUMA_MIN_THREADS")
    assert_equal({"RUBY_YJIT_ENABLE" => "0"}, arm(yjit: false).env)
    assert_equal({"RUBY_YJIT_ENABLE" => "1", "RUBY_THREAD_TIMESLICE" => "10", "MALLOC_ARENA_MAX" => "2"},
      arm(yjit: true, time_slice_ns: 10_000_000, extra: {"MALLOC_ARENA_MAX" => "2"}).env)
  end

  def test_fills_a_command
    assert_equal "-t 3:3", arm(threads: 3).fill("-t {threads}:{threads}")
    assert_equal "2 9300 {other}", arm(processes: 2).fill("{processes} {port} {other}", port: 9300)
  end

  def test_has_a_name
    names = [arm(processes: 2, threads: 5), arm(threads: 5), arm(processes: 2), arm(yjit: false),
      arm(processes: 1, threads: 3, yjit: true, time_slice_ns: 10_000_000, again: true)]
    assert_equal ["2 x 5", "x 5", "2 x", "no yjit", "1 x 3, yjit, 10 ms (again)"], names.map(&:name)
  end

  def test_again_is_the_same_setting
    assert_equal arm(threads: 5), arm(threads: 5, again: true).setting
  end
end
