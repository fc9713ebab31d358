# frozen_string_literal: true

require "test_helper"
require "open3"

# The lowest versions of gems that holdup.gemspec allows: a request is measured and reported, and the tests of
# what these gems do (the store, the dashboard, the tables) pass.
class MinimumVersionsTest < Minitest::Test
  include FirstAnswer

  GEMFILE = File.join(ServedApp::ROOT, "gemfiles/minimum.gemfile")
  # Without those of a store that may only be read: sqlite3 1.7 takes no URI (docs/guide/compatibility.md).
  TESTS = %w[test/holdup/store/sql_test.rb test/holdup/shell/web/app_test.rb
    test/holdup/shell/web/access_test.rb test/holdup/shell/view/width_test.rb
    test/holdup/shell/view/words_test.rb].freeze

  def test_the_gemfile_has_the_lowest_versions_that_are_allowed
    dependencies = Gem.loaded_specs.fetch("holdup").runtime_dependencies
    wanted = dependencies.reject { |dependency| dependency.name == "holdup-agent" }.to_h do |dependency|
      _, lowest = dependency.requirement.requirements.find { |operator, _| %w[>= ~>].include?(operator) }
      [dependency.name, lowest.segments]
    end
    pinned = File.readlines(GEMFILE).filter_map { |line|
      line.match(/\Agem "([\w-]+)", "(\d[\d.]*)"$/)&.captures
    }.to_h
    assert_equal wanted.keys.sort, pinned.keys.sort
    wanted.each do |name, lowest|
      assert_equal lowest, Gem::Version.new(pinned[name]).segments.first(lowest.size), name
    end
  end

  thorough def test_measures_and_reports
    env = {"BUNDLE_GEMFILE" => GEMFILE}
    report = [*ServedApp::BUNDLED_RUBY, CommandLine::EXE]
    server = [*ServedApp::BUNDLED, "puma", "-C", "puma.rb"]
    answer = first_answer(server, report:, app: "plain", path: "/orders/1", env:)
    assert_equal [["GET /orders", FirstAnswer::REQUESTS]],
      answer["series"].map { |series| series.values_at("name", "count") }
  end

  thorough def test_the_store_and_the_dashboard_pass_their_tests
    env = OtherBundle.of(GEMFILE)
    printed, status = Open3.capture2e(env, *ServedApp::BUNDLED_RUBY, "test/run.rb", *TESTS,
      chdir: ServedApp::ROOT)
    assert_predicate status, :success?, printed
    assert_match(/^[1-9]\d+ runs, /, printed)
  end
end
