# frozen_string_literal: true

# viewer.rb SPANS: draws a capture of so many periods in Chromium while somebody zooms and pans; prints ms of
# a frame, and of CPU of the page's thread.

require "json"
require "tmpdir"
require "uri"
require "holdup/capture/archive"
require "holdup/loader"
require "browser/chromium"
require "support/event_ring"
require_relative "../busy_capture"

FRAMES = 40
# The whole, and ever smaller parts of it.
ZOOMS = [0, 6, 11, 17].freeze
DRIVE = <<~JS
  const [zoom, frames, done] = arguments;
  const place = document.querySelector("[data-capture]");
  const stage = place.querySelector(".stage");
  const canvas = stage.querySelector("canvas");
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
    await frame("0");
    for (let step = 0; step < zoom; step++) await frame("+");
    const drawn = [];
    for (let at = 0; at < frames; at++) drawn.push(await frame(at % 20 < 10 ? "ArrowRight" : "ArrowLeft"));
    done({ drawn, width: stage.clientWidth, rows: Math.round(canvas.clientHeight / 39) });
  })().catch((error) => done({ error: String(error) }));
JS

# The page of a small capture; the browser is given the columns of the big one.
def served(columns)
  Dir.mktmpdir do |folder|
    ring = EventRing.new.running(1).suspended(1, 1000)
    Holdup::Capture::Archive.new(folder).add(ring.bytes(to: 2000), Time.at(1_790_000_000))
    web = Holdup::Web.new(store: -> { Holdup::Store.open("memory:") }, dir: folder, captures: -> { folder },
      auth: :none)
    instead = ->(env) {
      env["PATH_INFO"].end_with?("/columns") ? [200, {"content-type" => "application/octet-stream"},
        [columns]] : web.call(env)
    }
    addresses = Queue.new
    Thread.new do
      server = Holdup::Web::Command::Server.new(instead, host: "127.0.0.1", port: 0)
      server.run { |address| addresses << address }
    end
    yield "#{addresses.pop}capture?id=#{Holdup::Capture::Archive.new(folder).kept.first.id}"
  end
end

# Seconds of CPU that the page's own thread has used.
def cpu_s(browser)
  browser.page.command("Performance.getMetrics")["metrics"].find { |one|
    one["name"] == "TaskDuration"
  }["value"]
end

# What frames at one zoom took.
def frames(chromium, zoom)
  browser = chromium.session.driver.browser
  before = cpu_s(browser)
  seen = chromium.session.evaluate_async_script(DRIVE, zoom, FRAMES)
  raise seen["error"] if seen["error"]
  ms, pixels, drawn = %w[ms pixels drawn].map { |key| seen["drawn"].map { |one| one[key] } }
  {
    cpu: (cpu_s(browser) - before) * 1000 / (FRAMES + zoom + 1),
    median: quantile(ms, 0.5),
    p95: quantile(ms, 0.95),
    pixels: quantile(pixels, 0.5),
    rectangles: drawn.max,
    most: seen["width"] * seen["rows"]
  }
end

def quantile(values, share)
  values.sort[((values.size - 1) * share).round]
end

columns = Bench::BusyCapture.new(spans: ARGV[0].to_i).call
chromium = Chromium.new
chromium.size(1600, 1400)
served(columns) do |address|
  chromium.visit(address)
  raise "not drawn" unless chromium.session.has_css?(".stage canvas", visible: :all, wait: 60)
  chromium.session.driver.browser.page.command("Performance.enable", timeDomain: "threadTicks")
  puts JSON.generate(frames: ZOOMS.map { |zoom| frames(chromium, zoom) }, bytes: columns.bytesize,
    zooms: ZOOMS)
  $stdout.flush
end
chromium.quit
exit!(0)
