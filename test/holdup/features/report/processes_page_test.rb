# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::ProcessesPageTest < Minitest::Test
  include Dashboard
  include TemporaryFolder

  NOTHING_RUNS = "No request or job runs now in 1 process of this host."

  def dashboard = super(dir: folder)

  def test_begins_with_what_runs_now
    SegmentWriter.new(folder)
    get "/processes"
    assert_operator text.index(NOTHING_RUNS), :<, text.index("worker 0")
  end

  def test_says_nothing_of_a_host_without_processes
    get "/processes"
    assert_includes text, "worker 0"
    refute_match(/No request or job runs now/, text)
  end

  def test_says_so_where_nothing_is_stored_yet
    SegmentWriter.new(folder)
    @app = Holdup::Web.new(store: -> { Holdup::Store.open("memory:") }, dir: folder, auth: :none,
      clock: CommandLine::Still.new(now_s: sample.to_s))
    get "/processes"
    assert_includes text, NOTHING_RUNS
  end
end
