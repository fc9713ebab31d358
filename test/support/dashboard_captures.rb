# frozen_string_literal: true

require_relative "dashboard"
require_relative "temporary_folder"

# The dashboard of a folder for captures, and a capture to keep in it.
module DashboardCaptures
  include Dashboard
  include TemporaryFolder

  MS = 1_000_000

  def app
    @app ||= dashboard(captures: -> { folder })
  end

  # The hog holds for 100 ms. The light unit waits for 90 of them, and 2 ms while no thread holds.
  def ring(hog: "GET /hog")
    ring = EventRing.new(names: [hog, "GET /light"], threads: {2 => "srv 1", 3 => "srv 2"})
    ring.running(2).idle(3).begins(1, 2, 1 * MS).begins(2, 3, 2 * MS).ready(3, 10 * MS, unit: 2)
    ring.collected(2, 20 * MS, 30 * MS).suspended(2, 100 * MS, unit: 1).resumed(3, 102 * MS, unit: 2)
    ring.ends(1, 2, 103 * MS, name: hog).ends(2, 3, 110 * MS, name: "GET /light")
  end

  def keep(bytes = ring.bytes(to: 200 * MS), second: 0)
    File.basename(archive.add(bytes, Time.utc(2026, 11, 21, 12, 0, second)), ".holdup-capture")
  end

  def archive = Holdup::Capture::Archive.new(folder)

  def answer(path, query)
    app.call(Rack::MockRequest.env_for("/").merge("PATH_INFO" => path, "QUERY_STRING" => query)).first
  end
end
