# frozen_string_literal: true

require "test_helper"
require "open3"
require "rubygems/package"

# From `bundle add holdup` to the first answer in a new Rails application, with the seconds of each step: on a
# machine that has Rails and has never seen Holdup (its gems come from a source on this machine, and the
# extension is compiled), and in a second application there, which finds all gems installed.
class FirstMinutesTest < Minitest::Test
  include FirstAnswer

  ROOT = ServedApp::ROOT
  # What `rails new` has installed before.
  RAILS = %w[rails puma].freeze
  # Seconds of CPU for the gems and the generator, so that a busy machine changes nothing.
  GOALS_S = {cold: 300, warm: 30}.freeze
  NEW = %w[
    new shop --minimal --skip-active-record --skip-asset-pipeline --skip-bundle --skip-git --quiet
  ].freeze
  CONTROLLER = <<~RUBY
    class OrdersController < ApplicationController
      def index = render(plain: "orders")
    end
  RUBY

  # - `name`: of the step; `seconds`: by the clock; `cpu_s`: of the processes that have ended meanwhile
  StepTime = Data.define(:name, :seconds, :cpu_s) do
    def to_s = format("%s %.1f s (CPU %.1f s)", name, seconds, cpu_s)
  end

  thorough def test_a_new_application_has_its_first_answer_within_minutes
    Dir.mktmpdir do |folder|
      @home = File.join(folder, "gems")
      LinkedGems.link(@home, RAILS)
      GemSource.serve(offered(folder)) do |source|
        said = take_the_steps(:cold, new_application(folder, "cold", source))
        assert_includes said, "Installing holdup-agent #{Holdup::VERSION} with native extensions\n"
        assert_includes source.fetched, "holdup-#{Holdup::VERSION}.gem"
        source.fetched.clear
        refute_match(/native extensions/, take_the_steps(:warm, new_application(folder, "warm", source)))
        assert_empty source.fetched
      end
    end
  end

  private

  # @return [String] what `bundle add` printed
  def take_the_steps(cache, app)
    @steps = []
    said = timed("bundle add") { run_command(app, "bundle", "add", "holdup") }
    timed("generator") { run_command(app, RbConfig.ruby, "bin/rails", *%w[generate holdup:install --quiet]) }
    assert_operator @steps.sum(&:cpu_s), :<, GOALS_S.fetch(cache), @steps.join(", ")
    assert_first_answer(app)
    puts "first minutes, #{cache} cache of gems: #{@steps.join(", ")}; " \
      "together #{@steps.sum(&:seconds).round} s"
    said
  end

  def assert_first_answer(app)
    server = [*ServedApp::BUNDLED, "puma", "-C", "config/puma.rb"]
    report = ["bundle", "exec", "holdup"]
    from = now
    booted = -> { from = note("boot", from) }
    answer = first_answer(server, report:, app:, path: "/orders", env: environment(app), booted:)
    note("requests and report", from)
    assert_equal [["OrdersController#index", FirstAnswer::REQUESTS]],
      answer["series"].map { |series| series.values_at("name", "count") }
  end

  # By `rails new`, with one page.
  def new_application(folder, name, source)
    above = File.join(folder, name)
    FileUtils.mkdir(above)
    of_the_tests = OtherBundle.of(File.join(ROOT, "Gemfile"))
    run_in(of_the_tests, above, *ServedApp::BUNDLED, "rails", *NEW)
    app = File.join(above, "shop")
    gems = RAILS.map { |gem| "gem \"#{gem}\"\n" }
    File.write(File.join(app, "Gemfile"), "source \"#{source.url}\"\n#{gems.join}")
    File.write(File.join(app, "app/controllers/orders_controller.rb"), CONTROLLER)
    routes = File.join(app, "config/routes.rb")
    File.write(routes, File.read(routes).sub(/^end$/) { "  get \"orders\", to: \"orders#index\"\nend" })
    run_command(app, "bundle", "install", "--quiet")
    app
  end

  # @return [Hash{Gem::Specification => String}] and the file of each gem
  def offered(folder)
    others = Gem.loaded_specs.fetch("holdup").runtime_dependencies.map(&:name) - %w[holdup-agent]
    known = LinkedGems.needed(RAILS + others).to_h { |spec| [spec, spec.cache_file] }
    missing = known.values.reject { |path| File.exist?(path) }
    names = missing.map { |path| File.basename(path) }
    skip "the bundle has kept no file of #{names.join(", ")}" if names.any?
    known.merge(built(folder))
  end

  def built(folder)
    %w[holdup-agent holdup].to_h do |name|
      path = File.join(folder, "#{name}.gem")
      build = ["gem", "build", "#{name}.gemspec", "--output", path]
      run_in(OtherBundle::NONE, ROOT, RbConfig.ruby, "-S", *build)
      [Gem::Package.new(path).spec, path]
    end
  end

  def environment(app)
    own = {"GEM_HOME" => @home, "GEM_PATH" => @home, "BUNDLE_PATH" => nil, "RAILS_ENV" => "development",
           "BUNDLE_USER_HOME" => File.join(@home, "bundle"), "MAKEFLAGS" => nil}
    {**OtherBundle.of(File.join(app, "Gemfile")), **own}
  end

  def run_command(app, *command) = run_in(environment(app), app, *command)

  def run_in(env, folder, *command)
    printed, status = Open3.capture2e(env, *command, chdir: folder)
    assert_predicate status, :success?, printed
    printed
  end

  def timed(name)
    from = now
    yield
  ensure
    note(name, from)
  end

  # @return [Array<Float>] when the next step begins
  def note(name, from)
    to = now
    @steps << StepTime.new(name:, seconds: to.first - from.first, cpu_s: to.last - from.last)
    to
  end

  # @return [Array<Float>] seconds of the clock, and of CPU of this process's ended children
  def now
    children = Process.times
    [Process.clock_gettime(Process::CLOCK_MONOTONIC), children.cutime + children.cstime]
  end
end
