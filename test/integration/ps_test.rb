# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"
require "socket"

# `holdup ps` beside a real Puma with three requests that do not end: one sleeps, and of two that compute one
# holds the GVL and the other waits for it.
class PsIntegrationTest < Minitest::Test
  include CommandLine

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

  # @return [Hash{Symbol => Holdup::Ps::RunningRow}, nil] by state, once all three are seen at one look
  def settled(app)
    rows = Holdup::Ps::Reader.new(app.dir, clock: Holdup::Clock.new).look.rows.to_h { |row| [row.state, row] }
    rows if rows.keys.sort == %i[gvl holding idle] && rows.fetch(:gvl).awaited
  end

  def assert_printed(app, rows)
    now_s = Time.now.to_i
    text = app.wait { holdup("ps", "--dir", app.dir, now_s:).out[/.*^GET \/sleeps .* idle for .*/m] }
    assert_match(/^GET \/computes .* (holds the GVL|waits for the GVL)/, text)
    printed = JSON.parse(holdup("ps", "--json", "--dir", app.dir, now_s:).out)
    assert_equal PATHS.map { |path| "GET #{path}" }.sort, printed["running"].map { |row| row["name"] }.sort
    assert_equal [rows.fetch(:idle).process.pid], printed["processes"].map { |process| process["pid"] }
  end
end
