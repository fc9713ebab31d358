# frozen_string_literal: true

# capture.rb EVENTS: records so many events, then keeps, reads and exports them; prints sizes, and the CPU
# time that it took (ms).

require "json"
require "tools"
require "holdup/capture/archive"
require "holdup/loader"

RELEASES_A_UNIT = 10
EVENTS_A_RELEASE = 3
events = ARGV[0].to_i
folder = ENV.fetch("HOLDUP_BENCH_SCRATCH")
raw = File.join(folder, "events")

def milliseconds
  before = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :millisecond)
  yield
  Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :millisecond) - before
end

tool = Bench::Tools.find("holdup probe")
tool.start
Holdup::Probe.open_capture(raw, events, 0, 0)
(events / (RELEASES_A_UNIT * EVENTS_A_RELEASE)).times { tool.unit }
Holdup::Probe.close_capture
bytes = File.binread(raw)
archive = Holdup::Capture::Archive.new(File.join(folder, "captures"))
packed = nil
recording = nil
scene = nil
figures = {
  pack_ms: milliseconds { packed = archive.add(bytes, Time.now) },
  read_ms: milliseconds { recording = Holdup::Capture::Archive.read(packed) },
  replay_ms: milliseconds { scene = Holdup::Captures::Timeline::Scene.new(recording) }
}
Holdup::Captures::TraceFormats::FORMATS.each_key do |format|
  text = nil
  figures[:"#{format}_ms"] = milliseconds { text = Holdup::Captures::TraceFormats.call(scene, format) }
  figures[:"#{format}_bytes"] = text.bytesize
end
puts JSON.generate(
  **figures,
  events: recording.events.size,
  raw_bytes: bytes.bytesize,
  packed_bytes: File.size(packed),
  event_ns: recording.header.event_cost_ps / 1000.0
)
$stdout.flush
tool.stop
