# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::Command::ArgumentsTest < Minitest::Test
  NOW_S = 1_790_000_000

  def keywords(*argv)
    given = Holdup::Report::Command::OPTIONS.parse(argv, now_s: NOW_S)
    Holdup::Report::Command::Arguments.new(given).keywords
  end

  def refused(*argv)
    assert_raises(Holdup::UsageError) { keywords(*argv) }.message
  end

  def test_the_last_hour_on_one_screen_unless_more_is_asked_for
    found = keywords
    assert_equal NOW_S - 3600, found.fetch(:from_s)
    assert_operator found.fetch(:to_s), :>=, NOW_S
    assert found.fetch(:live)
    assert_equal :screen, found.fetch(:show)
    assert_equal :full, keywords("--limit", "5").fetch(:show)
    assert_equal :blame, keywords("--table", "blame").fetch(:show)
  end

  def test_a_span_that_has_ended_is_not_live
    found = keywords("--since", "3h", "--until", "2h")
    refute found.fetch(:live)
    assert_equal NOW_S - 3 * 3600, found.fetch(:from_s)
    assert_equal NOW_S - 2 * 3600, found.fetch(:to_s)
  end

  def test_only_jobs_have_priorities
    assert_equal :job, keywords("--by", "priority").fetch(:filter).kind
    assert_match(/--by priority can't be combined/, refused("--by", "priority", "--kind", "request"))
  end

  def test_what_a_file_for_a_browser_does_not_have
    assert_match(/--by can't be combined with --format html/, refused("--html", "--by", "host"))
    limit = Holdup::Report::Command::Arguments::HTML_LIMIT
    assert_equal limit, keywords("--html", "--limit", limit.to_s).fetch(:limit)
    assert_match(/--limit is at most #{limit} with --format html/,
      refused("--html", "--limit", (limit + 1).to_s))
  end
end
