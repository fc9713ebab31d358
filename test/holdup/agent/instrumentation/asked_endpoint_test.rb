# frozen_string_literal: true

require "test_helper"
require "holdup/agent/guard"
require "holdup/agent/instrumentation/asked_endpoint"

# What it keeps; the hooks themselves are in test/integration, with the real libraries.
class Holdup::Instrumentation::AskedEndpointTest < Minitest::Test
  Controller = Struct.new(:response)
  Response = Struct.new(:status)

  # Keeps what a UnitName would.
  class Names
    def initialize(broken: false)
      @broken = broken
      @kept = []
    end

    attr_reader :kept

    def keep_asked(env)
      raise "broken" if @broken
      @kept << env
    end
  end

  def setup
    @log = CollectedLog.new
    @names = Names.new
    @env = {}
  end

  def taken_over(first, second, names: @names)
    guard = Holdup::Guard.new(log: @log, clock: HandClock.new)
    Holdup::Instrumentation::AskedEndpoint.new(-> { names }, guard:).taken_over(@env, first, second)
  end

  def test_the_one_that_was_asked_for_is_kept_when_another_answers
    [nil, Response.new(200), Response.new(500)].each do |response|
      taken_over(Controller.new(response), Controller.new)
    end
    assert_equal [@env] * 3, @names.kept
  end

  # Rack::Cascade asks the next one: it was asked for.
  def test_one_that_passes_the_request_on_is_not_kept
    [404, 405].each { |status| taken_over(Controller.new(Response.new(status)), Controller.new) }
    assert_empty @names.kept
  end

  def test_a_controller_that_is_set_again_is_no_other
    same = Controller.new
    taken_over(same, same)
    assert_empty @names.kept
  end

  def test_what_goes_wrong_is_logged_and_never_raised
    taken_over(Controller.new, Controller.new, names: Names.new(broken: true))
    assert_match(/broken/, @log.lines.join)
  end

  def test_has_nothing_to_tell_of_the_process
    resource = Holdup::Instrumentation::AskedEndpoint.new(-> { @names }, guard: nil)
    assert_equal [{}, [], {}, {}], [resource.facts, resource.pools, resource.gauges, resource.profile]
  end
end
