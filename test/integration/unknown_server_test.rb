# frozen_string_literal: true

require "test_helper"
require "support/client_traffic"

# A server that has no adapter: each process that it forks is measured, and nothing is claimed about it.
class UnknownServerTest < Minitest::Test
  COMMAND = %w[bundle exec ruby -W:deprecated prefork.rb started.ru].freeze

  def serve(**env, &)
    ServedApp.serve(*COMMAND,
      app: "plain", env: {"NAME_THE_MIDDLEWARE" => "1", **env.transform_keys(&:to_s)}, &)
  end

  def complete(app)
    app.wait { app.live.size == 3 }
  end # the master measures as well: it looks like any other process

  def ask(app)
    before = app.counts["GET /orders"]
    traffic = ClientTraffic.to(app, "/orders")
    app.wait { traffic.answered >= 30 && app.live.count { |entry| units(entry) > 0 } == 2 }
    traffic.stop
    # Answers are sent before their units end.
    app.wait { app.counts["GET /orders"] == before + traffic.answered }
    assert_equal 0, traffic.troubled
    traffic.answered
  end

  def entries(app)
    Holdup::Segment::Directory.new(app.dir).entries
  end

  def header(entry) = entry.read(&:header)

  def units(entry)
    entry.read(&:snapshot).slot("GET /orders", kind: :request)&.count.to_i
  end

  def test_each_child_is_measured
    serve do |app|
      complete(app)
      answered = ask(app)
      by_age = entries(app).sort_by { |entry| header(entry).generation }
      assert_equal [[-1, 0], [-1, 1], [-1, 1]],
        by_age.map { |entry| [header(entry).worker_index, header(entry).generation] }
      assert_equal [true, false, false], by_age.map { |entry| units(entry).zero? }
      assert_predicate app.stop, :success?
      assert_equal({"GET /orders" => answered}, app.counts)
      assert(app.snapshots.all? { |snapshot| snapshot.header.closed? && snapshot.setting["server"].nil? })
      refute_match(/holdup: (?!measuring |the collector ends; requests )|warn/, app.log)
    end
  end

  def test_no_pool_and_no_lever_is_invented
    serve do |app|
      complete(app)
      app.live.each do |entry|
        assert_empty entry.read(&:profile).keys.grep(/\A(pool|lever)\./)
        assert_empty header(entry).pools.flat_map(&:values).compact
      end
    end
  end

  def test_a_killed_child_is_replaced_by_one_that_is_measured
    serve do |app|
      complete(app)
      before = ask(app)
      victim = app.live.find { |entry| units(entry) > 0 }.pid
      Process.kill(:KILL, victim)
      app.wait { app.live.size == 3 && app.live.none? { |entry| entry.pid == victim } }
      after = ask(app)
      app.stop
      app.wait { app.processes.empty? }
      assert_equal before + after, app.counts["GET /orders"]
    end
  end
end
