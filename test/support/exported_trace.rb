# frozen_string_literal: true

require "json"

# A capture in the formats of viewers.
module ExportedTrace
  MS = 1_000_000

  # The hog collects garbage and holds until 100 ms; the light unit, begun before, is ready at 10 ms and waits
  # until 102 ms.
  def scene
    @scene ||= begin
      ring = EventRing.new(threads: {2 => "srv 1", 3 => "srv 2"}).running(2).idle(3)
      ring.begins(1, 2, 1 * MS).begins(2, 3, 2 * MS).ready(3, 10 * MS, unit: 2)
      ring.collected(2, 20 * MS, 30 * MS).suspended(2, 100 * MS, unit: 1).resumed(3, 102 * MS, unit: 2)
      ring.ends(1, 2, 103 * MS, name: "GET /hog").ends(2, 3, 110 * MS, name: "GET /light")
      Holdup::Captures::Timeline::Scene.new(ring.recording(to: 200 * MS))
    end
  end

  def export(format, of = scene)
    exported = Holdup::Captures::TraceFormats.call(of, format)
    (format == :perfetto) ? PerfettoTrace.new(exported) : JSON.parse(exported)
  end
end
