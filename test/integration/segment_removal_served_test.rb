# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# The folder of the segments goes while Puma's workers serve, and while a worker is replaced: each request
# that was answered is stored once.
class SegmentRemovalServedTest < Minitest::Test
  COMMAND = %w[bundle exec puma -C puma.rb].freeze

  def stored(app)
    store = Holdup::Store.open(app.store)
    store.windows(0, Time.now.to_i + 3600, kinds: [:request]).sum(&:count)
  ensure
    store&.close
  end

  def collect(app)
    environment = {"HOLDUP_DIR" => app.dir, "HOLDUP_STORE" => app.store, "RUBYOPT" => nil}
    system(environment, RbConfig.ruby, CommandLine::EXE, "collect", "--once", exception: true)
  end

  def remove(app)
    FileUtils.rm_rf(app.dir)
    app.wait { app.live_workers == [0, 1] }
  rescue Errno::ENOENT
    retry
  end

  def ask(app, least)
    traffic = ClientTraffic.to(app, "/light")
    app.wait { traffic.answered >= least }
    yield
    app.wait { traffic.answered >= 2 * least }
    traffic.stop
  end

  def test_workers_that_serve_and_workers_that_are_replaced
    ServedApp.serve(*COMMAND, app: "plain", env: {"WORKERS" => "2"}) do |app|
      app.wait { app.live_workers == [0, 1] }
      answered = 0
      asked = ask(app, 50) do
        collect(app)
        remove(app)
      end
      answered += asked.answered
      worker = app.live.first.pid
      FileUtils.rm_rf(app.dir)
      Process.kill(:TERM, worker)
      app.wait { Dir.exist?(app.dir) && app.live_workers == [0, 1] && app.live.none? { _1.pid == worker } }
      collect(app) # what an ended worker has left is only in its file
      answered += ask(app, 50) { remove(app) }.answered
      app.stop
      collect(app)
      assert_equal answered, stored(app), app.log
      assert_empty Dir["#{app.dir}/*.segment"]
    end
  end

  def test_with_the_collector_that_puma_starts
    ServedApp.serve(*COMMAND, app: "plain", env: {"WORKERS" => "2", "HOLDUP_COLLECTOR" => "process"}) do |app|
      app.wait { app.live_workers == [0, 1] }
      asked = ask(app, 50) { 2.times { remove(app) } }
      app.stop
      app.wait { app.processes.empty? }
      assert_equal asked.answered, stored(app), app.log
    end
  end
end
