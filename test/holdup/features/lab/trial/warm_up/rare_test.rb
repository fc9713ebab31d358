# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../small_server"

class Holdup::Lab::Trial::WarmUp::RareTest < Minitest::Test
  Lab = Holdup::Lab

  def setup
    @server = SmallServer.new { SmallServer.ok }
  end

  def teardown = @server.close

  # @return [Array<String>] what was asked, in that order
  def asked(counts, longest_s: 60, processes: 1)
    routes = %w[/often /seldom /never].map { |path| Lab::Route.new(label: path, path:) }
    target = Lab::Load::Target.new(@server.url)
    Lab::Trial::WarmUp::Rare.new(target, routes:).call(counts, processes:, longest_s:)
    Array.new(@server.heads.size) { @server.heads.pop[/ (\S+)/, 1] }
  end

  def test_what_was_asked_less_often_than_a_jit_wants_to_see_it
    paths = asked({"/often" => 70, "/seldom" => 38})
    assert_equal({"/seldom" => 2, "/never" => 40}, paths.tally)
    assert_equal %w[/seldom /never /seldom /never /never], paths.first(5)
  end

  def test_by_each_process
    assert_equal({"/often" => 10, "/seldom" => 80, "/never" => 80},
      asked({"/often" => 70}, processes: 2).tally)
  end

  def test_ends_without_counts_and_when_the_time_is_over
    assert_empty asked({})
    assert_empty asked({"/often" => 1}, longest_s: 0)
    assert_empty asked({"/often" => 40, "/seldom" => 40, "/never" => 41})
  end
end
