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

  # Queries and caches without a database: the private methods that they pass through, and what these must
  # leave as it is.
  CONTRACT = <<~RUBY
    require "active_record"
    require "active_support/cache"
    require "active_support/cache/file_store"
    require "holdup"

    def expect(wanted, found) = wanted == found || raise("\#{found.inspect} instead of \#{wanted.inspect}")

    ADAPTER = ActiveRecord::ConnectionAdapters::AbstractAdapter
    STORE = ActiveSupport::Cache::Store
    eval(ENV.fetch("BEFORE", ""))
    connection = ADAPTER.new({})
    cache = ActiveSupport::Cache::FileStore.new(File.join(ENV.fetch("HOLDUP_DIR"), "cache"))
    kinds = [:log, :instrument, :instrument_multi].zip([ADAPTER, STORE, STORE])
    before = kinds.map { |name, owner| owner.instance_method(name).parameters }
    sent = []
    ActiveSupport::Notifications.subscribe("sql.active_record") { |*, payload| sent << payload }
    Holdup.start
    Holdup.measure("A#b") do
      expect(7, connection.send(:log, "SELECT 1", "Load", [1], [2], async: false) { 7 })
      expect(7, connection.send(:log, "SELECT 2") { 7 })
      begin
        connection.send(:log, "SELECT 3") { raise IOError, "lost" }
      rescue => error
        expect([IOError, "lost"], [error.class, error.message])
      end
      expect(true, cache.write("a", 1, expires_in: 60))
      expect(1, cache.read("a"))
      expect(2, cache.fetch("b") { 2 })
      expect({"a" => 1, "b" => 2}, cache.read_multi("a", "b"))
      expect([true, true], [cache.exist?("a"), cache.delete("a")])
    end
    expect(["SELECT 1", "SELECT 2", "SELECT 3"], sent.map { |payload| payload[:sql] })
    expect([["Load", [1], [2]], ["SQL", [], []]],
      sent.first(2).map { |payload| payload.values_at(:name, :binds, :type_casted_binds) })
    expect(before, kinds.map { |name, owner| owner.instance_method(name).parameters })
    guard = Holdup.runtime.guard
    puts ActiveRecord.version, guard.notified.keys.map { |title| title[/\\w+$/] }.sort.join(" ")
    expect([{}, {}], [guard.unhooked, guard.failures])
    Holdup.stop
  RUBY

  # The names and parameters that Active Record's and Active Support's next version may have.
  CHANGED = {
    log: <<~RUBY,
      ADAPTER.class_eval do
        alias_method :log_as_before, :log
        private def log(sql, name = "SQL", binds = [], type_casted_binds = [], **options, &block)
          log_as_before(sql, name, binds, type_casted_binds, **options, &block)
        end
      end
    RUBY
    instrument: <<~RUBY
      STORE.class_eval do
        alias_method :instrument_as_before, :instrument
        private def instrument(operation, *keys, options: nil, &block)
          instrument_as_before(operation, *keys, &block)
        end
      end
    RUBY
  }.freeze

  def test_the_private_methods_of_rails_7_1 = assert_contract("rails71", /\A7\.1\./)

  thorough def test_the_private_methods_of_rails_7_2 = assert_contract("rails72", /\A7\.2\./)

  thorough def test_the_private_methods_of_rails_8_0 = assert_contract("rails80", /\A8\.0\./)

  def test_the_private_methods_of_the_latest_rails = assert_contract(nil, /\A8\.1\./)

  # Nothing is lost where these have other parameters.
  CHANGED.each do |name, code|
    define_method(:"test_#{name}_with_other_parameters_is_measured_by_notifications") do
      assert_contract(nil, /\A8\.1\./, before: code, notified: name.to_s)
    end
  end

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

  # @param before [String] Ruby that runs before Holdup starts
  # @param notified [String] methods that can't be hooked then
  def assert_contract(name, version, before: "", notified: "")
    Dir.mktmpdir do |folder|
      settings = {"HOLDUP_DIR" => folder, "HOLDUP_COLLECTOR" => "off", "HOLDUP_LOG" => "off"}
      env = {**(name ? environment(name) : {}), **settings, "BEFORE" => before}
      lib = "-I#{File.join(ServedApp::ROOT, "lib")}"
      printed, status = Open3.capture2e(env, *ServedApp::BUNDLED_RUBY, lib, "-e", CONTRACT)
      assert_predicate status, :success?, printed
      assert_match version, printed.lines[-2]
      assert_equal notified, printed.lines(chomp: true).last
      assert_calls(Dir["#{folder}/*.segment"].first, notified)
    end
  end

  # Three queries, one of which failed. Of the cache: write, read, fetch (read and write), read_multi, exist?,
  # delete.
  def assert_calls(path, notified)
    snapshot, profile = Holdup::Segment::Reader.open(path, gone: true) do |reader|
      [reader.snapshot, reader.profile]
    end
    calls = ["sql", "cache FileStore"].map { |system| snapshot.slot("A#b", kind: :call, queue: system) }
    assert_equal [3, 7], calls.map(&:count)
    assert_equal [1, 0], calls.map(&:errors)
    assert_equal notified.empty?, !profile.key?("notified"), profile
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
