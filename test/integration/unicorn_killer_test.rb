# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# unicorn-worker-killer itself: a worker grows beyond its limit, and ends itself after the request.
class UnicornKillerTest < Minitest::Test
  include TemporaryFolder

  MIB = 1 << 20
  LIMIT_BYTES = 256 * MIB
  GROWTH_BYTES = 256 * MIB
  COMMAND = %w[bundle exec ruby -W:deprecated -S unicorn -c unicorn.rb unicorn.ru].freeze

  # Its first signals let a worker end in order; after them it is killed at once.
  {"by QUIT" => 10, "by KILL" => 0}.each do |how, max_quit|
    define_method(:"test_a_worker_that_ends_itself_#{how.tr(" ", "_")}_is_a_death_with_nothing_in_flight") do
      serve(max_quit) do |app|
        held = Thread.new { app.get("/held") }
        app.wait { File.exist?(begun) }
        grown = app.get("/grow").body.to_i
        app.wait { app.live.none? { |entry| entry.pid == grown } }
        assert_death(app, grown)
        File.write(release, "")
        assert_equal "200", held.value.code, "the other worker goes on"
        assert_counted(app)
      end
    end
  end

  private

  def begun = File.join(folder, "begun")

  def release = File.join(folder, "release")

  def serve(max_quit)
    env = {"LIMIT" => LIMIT_BYTES, "GROWTH" => GROWTH_BYTES, "MAX_QUIT" => max_quit, "BEGUN" => begun,
           "RELEASE" => release}
    ServedApp.serve(*COMMAND, app: "killed", env: env.transform_values(&:to_s)) do |app|
      app.wait { app.live_workers == [0, 1] }
      yield app
    end
  end

  def collect(app)
    environment = {"HOLDUP_DIR" => app.dir, "HOLDUP_STORE" => app.store, "RUBYOPT" => nil}
    system(environment, RbConfig.ruby, CommandLine::EXE, "collect", "--once", exception: true)
  end

  def reading(app)
    store = Holdup::Store.open(app.store)
    yield store
  ensure
    store&.close
  end

  def assert_death(app, pid)
    collect(app)
    deaths = reading(app) { |store| store.deaths(0, 1 << 40) }
    assert_equal [[pid, :killer]], deaths.map { |death| [death.pid, death.reason] }
    assert_empty deaths.first.units
    assert_includes deaths.first.ended.map { |unit| unit[:name] }, "GET /grow"
  end

  # Each request once, also that after which its worker was killed.
  def assert_counted(app)
    app.wait { app.counts.key?("GET /held") }
    collect(app)
    names = ["GET /grow", "GET /held"]
    windows = reading(app) { |store| store.windows(0, 1 << 40).select { |one| one.series.unit? } }
    counts = windows.group_by { |one| one.series.name }.slice(*names)
    assert_equal names.to_h { |name| [name, 1] }, counts.transform_values { |same| same.sum(&:count) }
  end
end
