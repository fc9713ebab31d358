# frozen_string_literal: true

# viewer.rb SPANS: draws a capture of so many periods in Chromium while somebody zooms and pans; prints ms of a frame.

require "json"
require "tmpdir"
require "uri"
require "holdup/capture/archive"
require "holdup/web"
require "holdup/web/server"
require "holdup/stores"
require "browser/chromium"
require "support/event_ring"
require_relative "../busy_capture"

FRAMES = 40
# The whole, and ever smaller parts of it.
ZOOMS = [0, 6, 11, 17].freeze
DRIVE = <<~JS
  const [zooms, frames, done] = arguments;
  const place = document.querySelector("[data-capture]"), stage = place.querySelector(".stage"), canvas = stage.querySelector("canvas");
  const press = (key) => stage.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  const frame = (key) => new Promise((resolve) => {
    place.addEventListener("holdup:drawn", ({ detail }) => {
      const begun = performance.now();
      canvas.getContext("2d").getImageData(0, 0, 1, 1);
      resolve({ ...detail, pixels: performance.now() - begun });
    }, { once: true });
    press(key);
  });
  (async () => {
    const told = [];
    for (const zoom of zooms) {
      await frame("0");
      for (let step = 0; step < zoom; step++) await frame("+");
      const drawn = [];
      for (let at = 0; at < frames; at++) drawn.push(await frame(at % 20 < 10 ? "ArrowRight" : "ArrowLeft"));
      told.push(drawn);
    }
    done({ told, width: stage.clientWidth, rows: Math.round(canvas.clientHeight / 39) });
  })().catch((error) => done({ error: String(error) }));
JS

# The page of a small capture; the browser is given the columns of the big one.
def served(columns)
  Dir.mktmpdir do |folder|
    ring = EventRing.new.running(1).suspended(1, 1000)
    Holdup::Capture::Archive.new(folder).add(ring.bytes(to: 2000), Time.at(1_790_000_000))
    web = Holdup::Web.new(store: -> { Holdup::Stores.open("memory:") }, dir: folder, captures: -> { folder }, auth: :none)
    instead = ->(env) { env["PATH_INFO"].end_with?("/columns") ? [200, {"content-type" => "application/octet-stream"}, [columns]] : web.call(env) }
    addresses = Queue.new
    Thread.new { Holdup::Web::Server.new(instead, host: "127.0.0.1", port: 0).run { |address| addresses << address } }
    yield "#{addresses.pop}capture?id=#{Holdup::Capture::Archive.new(folder).kept.first.id}"
  end
end

def quantile(values, share) = values.sort[((values.size - 1) * share).round]

columns = Bench::BusyCapture.new(spans: ARGV[0].to_i).call
chromium = Chromium.new
chromium.size(1600, 1400)
served(columns) do |address|
  chromium.visit(address)
  raise "not drawn" unless chromium.session.has_css?(".stage canvas", visible: :all, wait: 60)
  seen = chromium.session.evaluate_async_script(DRIVE, ZOOMS, FRAMES)
  raise seen["error"] if seen["error"]
  frames = seen["told"].map do |drawn|
    ms, pixels = %w[ms pixels].map { |key| drawn.map { |one| one[key] } }
    {median: quantile(ms, 0.5), p95: quantile(ms, 0.95), pixels: quantile(pixels, 0.5), rectangles: drawn.map { |one| one["drawn"] }.max}
  end
  puts JSON.generate(frames:, bytes: columns.bytesize, zooms: ZOOMS, most: seen["width"] * seen["rows"])
  $stdout.flush
end
chromium.quit
exit!(0)
