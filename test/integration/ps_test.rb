# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"
require "socket"

# `holdup ps` beside a real Puma with three requests that do not end: one sleeps, and of two that compute one
# holds the GVL and the other waits for it. Then C code keeps the GVL.
class PsIntegrationTest < Minitest::Test
  include CommandLine

  STATES = [/^GET \/sleeps .* idle/, /^GET \/computes .* holds the GVL/,
    /^GET \/computes .* waits for the GVL/].freeze
  PATHS = %w[/sleeps /computes /computes].freeze

  def test_says_who_sleeps_who_holds_the_gvl_and_who_waits_for_it
    command = %w[bundle exec ruby -W:deprecated -S puma -C puma.rb standing.ru]
    ServedApp.serve(*command, app: "plain") do |app|
      app.wait { app.live.any? }
      sockets = PATHS.map { |path| ask(app, path) }
      rows = app.wait { settled(app) }
      assert_equal "GET /sleeps", rows.fetch(:idle).unit.name
      assert_equal "GET /computes", rows.fetch(:holding).unit.name
      assert_equal "GET /computes", rows.fetch(:gvl).awaited.name
      assert_operator rows.values.map { |row| row.unit.thread }.uniq.size, :==, PATHS.size
      assert_printed(app, rows)
      FileUtils.touch(File.join(app.root, "stop"))
      sockets << ask(app, "/keeps")
      assert_named(app, app.wait { hold_in_c(app) })
    ensure
      sockets&.each(&:close)
    end
  end

  private

  # Nobody waits for the answer.
  def ask(app, path)
    TCPSocket.new("127.0.0.1", app.port).tap do |socket|
      socket.write("GET #{path} HTTP/1.1\r\nhost: x\r\n\r\n")
    end
  end

  def look(app) = Holdup::Ps::Reader.new(app.dir, clock: Holdup::Clock.new).look

  # @return [Hash{Symbol => Holdup::Ps::RunningRow}, nil] by state, once all three are seen at one look
  def settled(app)
    rows = look(app).rows.to_h { |row| [row.state, row] }
    rows if rows.keys.sort == %i[gvl holding idle] && rows.fetch(:gvl).awaited
  end

  # @return [Holdup::Ps::GvlHold, nil] once it has been held for so long that the process hangs
  def hold_in_c(app)
    look(app).holds.find { |hold| hold.long? && hold.name == "GET /keeps" }
  end

  def assert_named(app, hold)
    assert_nil hold.place
    assert app.wait { printed(app).match?(IN_C) }
    assert app.wait { signs(app).include?(:hung_gvl_unplaced) }
  end

  IN_C = /^pid \d+: GET \/keeps holds the GVL for \d.*, place\s+unknown\s+\(C\s+code\)/
  private_constant :IN_C

  # @return [Array<Symbol>] keys of what the doctor says
  def signs(app)
    processes, = Holdup::Doctor::SegmentReader.call(app.dir, Holdup::Clock.new.realtime_ns)
    Holdup::Ps::HungCheck.call(Found.new(alive: processes)).map(&:key)
  end

  Found = Data.define(:alive)
  private_constant :Found

  def printed(app, *options)
    holdup("ps", "--dir", app.dir, *options, now_s: Time.now.to_i).out
  end

  def assert_printed(app, rows)
    assert app.wait { STATES.all? { |state| printed(app).match?(state) } }
    document = JSON.parse(printed(app, "--json"))
    assert_equal PATHS.map { |path| "GET #{path}" }.sort, document["running"].map { |row| row["name"] }.sort
    assert_equal [rows.fetch(:idle).process.pid], document["processes"].map { |process| process["pid"] }
  end
end
