# frozen_string_literal: true

require "test_helper"
require "open3"

# Earlier versions of Rails, each from a Gemfile of its own: it boots, its requests are measured, and a report
# names them. All other tests have the latest.
class RailsVersionsTest < Minitest::Test
  include FirstAnswer

  def test_rails_7_1 = assert_measures("rails71", /\A7\.1\./)

  thorough def test_rails_7_2 = assert_measures("rails72", /\A7\.2\./)

  thorough def test_rails_8_0 = assert_measures("rails80", /\A8\.0\./)

  # The private method that queries pass through, without a database.
  QUERIES = <<~RUBY
    require "active_record"
    require "holdup"
    connection = ActiveRecord::ConnectionAdapters::AbstractAdapter.new({})
    Holdup.start
    Holdup.measure("A#b") { 2.times { connection.send(:log, "SELECT 1", "Load") { 7 } == 7 or raise } }
    subscribed = ActiveSupport::Notifications.notifier.listeners_for("sql.active_record").size
    raise "\#{subscribed} subscribers" unless subscribed == 1
    Holdup.stop
  RUBY

  def test_queries_of_rails_7_1_are_calls = assert_calls("rails71")

  thorough def test_queries_of_rails_7_2_are_calls = assert_calls("rails72")

  thorough def test_queries_of_rails_8_0_are_calls = assert_calls("rails80")

  START = File.join(ServedApp::ROOT, "docs/start.md")

  # `rails new`, the code of docs/start.md, the generator that it names, and a server in development.
  thorough def test_a_new_application_that_follows_the_start_page
    Dir.mktmpdir do |folder|
      app = File.join(folder, "shop")
      env = environment("rails80")
      bundled(env, folder, "rails", "new", "shop", "--minimal", "--skip-active-record",
        "--skip-asset-pipeline", "--skip-bundle", "--skip-git", "--quiet")
      write_code_of_the_start_page(app)
      generate = File.read(START)[/^bin\/rails generate .+$/]
      bundled(env, app, *generate.split, "--quiet")
      assert_path_exists File.join(app, "config/initializers/holdup.rb")
      answer = answer_of(env.merge("RAILS_ENV" => "development"), app:, config: "config/puma.rb")
      assert_series(answer)
    end
  end

  def test_the_start_page_shows_the_same_code_in_both_languages
    pages = [START, START.sub(".md", ".ja.md")].map { |page| File.read(page).scan(/^```\w*\n(.*?)^```$/m) }
    assert_operator pages.first.size, :>, 5
    assert_equal pages.first, pages.last
  end

  private

  def assert_measures(name, version)
    env = {**environment(name), "RAILS_ENV" => "production", "WITH_HOLDUP" => "1", "WITH_PLUGIN" => "1"}
    answer = answer_of(env, app: "rails", config: "puma.rb")
    assert_series(answer)
    assert_match version, answer["settings"].first["attributes"]["rails"]
  end

  def assert_calls(name)
    Dir.mktmpdir do |folder|
      env = {**environment(name), "HOLDUP_DIR" => folder, "HOLDUP_COLLECTOR" => "off", "HOLDUP_LOG" => "off"}
      lib = "-I#{File.join(ServedApp::ROOT, "lib")}"
      printed, status = Open3.capture2e(env, *ServedApp::BUNDLED_RUBY, lib, "-e", QUERIES)
      assert_predicate status, :success?, printed
      snapshot = Holdup::Segment::Reader.open(Dir["#{folder}/*.segment"].first, gone: true, &:snapshot)
      assert_equal 2, snapshot.slot("A#b", kind: :call, queue: "sql").count
    end
  end

  def environment(name)
    OtherBundle.of(File.join(ServedApp::ROOT, "gemfiles/#{name}.gemfile"))
  end

  def answer_of(env, app:, config:)
    server = [*ServedApp::BUNDLED, "puma", "-C", config]
    first_answer(server, report: [*ServedApp::BUNDLED_RUBY, CommandLine::EXE], app:, path: "/orders", env:)
  end

  def assert_series(answer)
    assert_equal [["OrdersController#index", FirstAnswer::REQUESTS]],
      answer["series"].map { |series| series.values_at("name", "count") }
  end

  # Its blocks of Ruby name their file in the first line.
  def write_code_of_the_start_page(app)
    files = File.read(START).scan(/^```ruby\n# (\S+)\n(.*?)^```$/m).to_h
    routes = files.delete("config/routes.rb")
    files.each { |path, code| File.write(File.join(app, path), code) }
    path = File.join(app, "config/routes.rb")
    File.write(path, File.read(path).sub(/^end$/) { "#{routes}end" })
  end

  def bundled(env, folder, *command)
    printed, status = Open3.capture2e(env, *ServedApp::BUNDLED, *command, chdir: folder)
    assert_predicate status, :success?, printed
  end
end
