# frozen_string_literal: true

require "test_helper"
require "holdup/agent/instrumentation/controller_figures"
require "holdup/agent/recorder"

# With the real gems: test/integration/added_figures_test.rb
class Holdup::Instrumentation::ControllerFiguresTest < Minitest::Test
  FIGURES = {gvl: 12.34, io: 48.0, cpu: 5.0}.freeze
  Event = Struct.new(:payload)

  def setup
    @guard = Holdup::Guard.new(log: @log = CollectedLog.new, clock: HandClock.new)
    @figures = figures(%i[rails_log])
  end

  def figures(wanted)
    Holdup::Instrumentation::ControllerFigures.new(wanted: -> { wanted }, guard: @guard)
  end

  def test_the_line_of_rails_gets_two_parts
    messages = @figures.completed(["Views: 1.0ms"], {holdup: FIGURES})
    assert_equal ["Views: 1.0ms", "GVL: 12.3ms", "IO: 48.0ms"], messages
    refute_predicate messages, :frozen?, "Active Record adds its own"
  end

  def test_without_figures_lines_stay_as_they_are
    assert_equal ["Views: 1.0ms"], @figures.completed(["Views: 1.0ms"], {})
    assert_nil @figures.logged(nil, Event.new({}))
    assert_equal({host: "a"}, @figures.logged({host: "a"}, Event.new({})))
  end

  def test_options_of_lograge_are_stronger
    event = Event.new({holdup: FIGURES})
    assert_equal FIGURES, @figures.logged(nil, event)
    assert_equal({**FIGURES, cpu: 7, host: "a"}, @figures.logged({cpu: 7, host: "a"}, event))
  end

  def test_outside_of_requests_a_payload_gets_nothing
    payload = {}
    @figures.add_to(payload)
    assert_empty payload
  end

  def test_a_failure_leaves_the_line_as_it_was
    assert_equal ["Views: 1.0ms"], @figures.completed(["Views: 1.0ms"], {holdup: {}})
    assert_equal({host: "a"}, @figures.logged({host: "a"}, nil))
    assert_equal({added_figures: 2}, @guard.failures)
  end

  def test_without_rack_mini_profiler_nothing_is_timed
    figures = figures(%i[mini_profiler])
    figures.install
    figures.send(:profile_request, FIGURES)
    assert_empty @guard.failures
  end

  def test_nothing_is_hooked_unless_it_is_wanted
    before = Holdup::Hooks::MethodHook.all.size
    figures(%i[notifications sidekiq_log]).install
    assert_equal before, Holdup::Hooks::MethodHook.all.size
  end
end
