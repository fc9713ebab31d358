# frozen_string_literal: true

require "test_helper"

# A Rails application of some size in the servers that fork: loaded in the master, in the mold, in each
# worker; and where a request is a fiber.
class StorefrontPreforkTest < Minitest::Test
  include StorefrontApp

  PATHS = {"/" => "PagesController#home", "/products" => "ProductsController#index",
           "/orders" => "OrdersController#index"}.freeze
  ROUNDS = 20

  def serve(command, env, &)
    ServedApp.serve("bundle", "exec", *command, app: StorefrontApp::APP, env:, &)
  end

  def test_unicorn_and_pitchfork
    with_storefront do |env|
      serve(%w[unicorn -c config/unicorn.rb], env) { |app| assert_measured(app, "unicorn", :QUIT) }
      serve(%w[pitchfork], env) do |app|
        refork(app)
        assert_measured(app, "pitchfork", :TERM)
      end
    end
  end

  def test_falcon
    with_storefront do |env|
      serve(%w[ruby -S falcon host config/falcon.rb], env) { |app| assert_measured(app, "falcon", :TERM) }
    end
  end

  # Active Record's connections of a worker, a mold and the next workers are each their own.
  def refork(app)
    app.wait { app.live_workers == [0, 1] }
    PATHS.each_key { |path| 4.times { app.get(path) } }
    @before = app.wait { app.counts.then { |counts| counts if counts.values == [4, 4, 4] } }
    app.signal(:USR2)
    app.wait { app.live.map { |entry| entry.read(&:header).generation } == [1, 1] }
  end

  def assert_measured(app, server, signal)
    app.wait { app.live_workers == [0, 1] }
    answered = PATHS.keys.to_h { |path| [path, ROUNDS.times.count { app.get(path).code == "200" }] }
    app.stop(signal)
    assert_equal PATHS.keys.to_h { |path| [path, ROUNDS] }, answered
    assert_equal PATHS.values.to_h { |name| [name, ROUNDS + before(name)] }, app.counts
    assert_equal [server], app.snapshots.map { |snapshot| snapshot.setting["server"] }.uniq
    refute_match(/holdup: (?!measuring |the collector ends; requests )/, app.log)
  end

  def before(name)
    @before ? @before.fetch(name) : 0
  end
end
