# frozen_string_literal: true

require "test_helper"
require "holdup/capture/archive"
require "holdup/loader"
require "json"

class Holdup::Captures::ReaderTest < Minitest::Test
  include Dashboard
  include TemporaryFolder

  MS = 1_000_000
  HOSTILE = "<script>alert(1)</script>\u202E"

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

  def scene
    Holdup::Captures::Timeline::Scene.new(ring.recording(to: 200 * MS))
  end

  def test_without_one_the_page_says_how_to_take_one
    %w[en ja].each do |language|
      get "/captures", {"lang" => language}
      assert_equal 200, last_response.status
      assert_includes text, "holdup capture"
    end
    @app = dashboard
    get "/captures"
    assert_equal 200, last_response.status
  end

  def test_the_newest_first_with_a_link_to_each
    ids = [keep(second: 1), keep(second: 2)]
    get "/captures"
    assert_equal ids.reverse, markup.scan(/capture\?id=([^"&]+)/).flatten
    assert_match(/pid 7 .* 200 ms/, text)
  end

  def test_lists_a_broken_capture_as_broken
    File.write(File.join(folder, "20261121T120000Z-9.holdup-capture"), "no capture")
    get "/captures"
    assert_includes CGI.unescapeHTML(text), "can't be read"
    %w[/capture?id=20261121T120000Z-9 /captures/20261121T120000Z-9/columns].each do |address|
      get address
      assert_equal 400, last_response.status
      assert_includes CGI.unescapeHTML(text), "the capture can't be read (DamagedData)"
    end
  end

  def test_the_tables_tell_who_held_and_whom
    id = keep
    get "/capture", {"id" => id}
    assert_equal 200, last_response.status
    assert_match(/GET \/light 2 108 ms 8.00 ms 92.0 ms 8.00 ms GET \/hog/, text)
    assert_match(/GET \/hog 90.0 ms 97.8 %/, text)
    assert_includes markup, %(data-capture="/captures/#{id}/columns")
    get "/capture", {"id" => id, "unit" => "2", "lang" => "ja"}
    assert_includes text, "GET /hog"
    assert_includes markup, "unit=2"
  end

  def test_a_part_has_sums_of_its_own
    get "/capture", {"id" => keep, "from_ns" => (20 * MS).to_s, "to_ns" => (50 * MS).to_s}
    assert_match(/GET \/hog 30.0 ms 100 %/, text)
    assert_includes text, "Only the part of the capture between 20.0 ms and 50.0 ms"
    excerpt = Holdup::Captures::Timeline::Excerpt.new(scene, from: 20 * MS, to: 50 * MS)
    assert_equal [30 * MS], excerpt.waits.map { |wait| wait.span.length }
    assert_equal 2, excerpt.units.size
  end

  def test_the_real_one_names_who_held_and_what_it_ran
    kept = KeptCapture.new
    @app = dashboard(captures: -> { kept.folder })
    get "/captures"
    unescaped = CGI.unescapeHTML(text)
    units = /ProductsController#index 241 ms ReportsController#sales 217 ms/
    assert_match(/Storefront worker 0 a command that waited for it: stall > 150 ms #{units}/, unescaped)
    get kept.path(unit: KeptCapture::CAUGHT)
    assert_includes CGI.unescapeHTML(text),
      "waiting for the GVL: 217 ms (90.1 %) for ReportsController#sales, " \
      "95.2 % of it in SalesReport#pair_counts"
    %w[held stalled caused].each do |mode|
      get kept.path(mode:)
      assert_match(/<svg class="flame #{mode}".*<title>[^<]*\(\d/m, markup)
    end
    get kept.path(mode: "x")
    assert_equal 400, last_response.status
  ensure
    kept&.remove
  end

  def test_files_for_other_viewers
    id = keep
    %w[columns packed firefox perfetto speedscope json].each do |format|
      get "/captures/#{id}/#{format}"
      assert_equal 200, last_response.status, format
    end
    assert_equal 200 * MS, JSON.parse(last_response.body)["length_ns"]
    get "/captures/#{id}/packed"
    assert_equal File.binread(archive.files.first), last_response.body.b
    assert_equal %(attachment; filename="#{id}.holdup-capture"), last_response.headers["content-disposition"]
    get "/captures/#{id}/perfetto"
    assert_equal ["application/octet-stream", %(attachment; filename="#{id}-perfetto.pftrace")],
      last_response.headers.values_at("content-type", "content-disposition")
    assert_includes PerfettoTrace.new(last_response.body).tracks, "GVL holder"
    get "/captures/#{id}/columns", {}, {"HTTP_ACCEPT_ENCODING" => "gzip, br"}
    assert_equal ["gzip", 1],
      [last_response.headers["content-encoding"], Zlib.gunzip(last_response.body).unpack1("L<")]
    get "/capture.json", {"id" => id}
    assert_equal 1, JSON.parse(last_response.body)["schema"]
  end

  def test_rejects_ids_of_captures_that_are_not_kept
    keep
    random = Random.new(3)
    names = ["", "..", "../secret", "/etc/passwd", "..%2f..%2fetc%2fpasswd", "*",
      "20261121T120000Z-7.holdup-capture", "\u{1F4A9}", "a" * 900, "[", "{a,b}", "\\"]
    names += Array.new(60) { random.bytes(random.rand(1..20)) }
    names.each do |name|
      assert_includes 400..499, answer("/capture", URI.encode_www_form("id" => name)), name.inspect
      next if name.empty? || name.match?(%r{[/\0]})
      assert_includes 400..499, answer("/captures/#{name.b}/columns", ""), name.inspect
    end
    assert_equal 404, answer("/captures/#{keep(second: 5)}/exe", "")
  end

  def test_words_from_nowhere
    id = keep
    [["unit", "99"], ["unit", "x"], ["from_ns", "x"], ["to_ns", "-1"],
      ["from_ns", "9" * 30]].each do |word, value|
      asked = {"id" => id, "from_ns" => "1", "to_ns" => "2"}.merge(word => value)
      assert_equal 400, answer("/capture", URI.encode_www_form(asked)), word
    end
    assert_equal 400, answer("/capture", URI.encode_www_form("id" => id, "from_ns" => "5", "to_ns" => "5"))
  end

  def answer(path, query)
    app.call(Rack::MockRequest.env_for("/").merge("PATH_INFO" => path, "QUERY_STRING" => query)).first
  end

  def test_hostile_names_are_text
    keep(ring(hog: HOSTILE).bytes(to: 200 * MS))
    ["/captures", "/capture?id=20261121T120000Z-7", "/capture?id=20261121T120000Z-7&unit=2"].each do |address|
      get address
      refute_includes markup, "<script>alert"
      refute_includes markup, "\u202E"
    end
    assert_includes CGI.unescapeHTML(text), "<script>alert(1)</script>"
  end

  def test_refuses_a_capture_unless_it_is_allowed
    post "/captures", {"pid" => "1"}, {"HTTP_SEC_FETCH_SITE" => "same-origin"}
    assert_equal 405, last_response.status
    get "/captures"
    refute_includes markup, "<form"
  end

  # Bytes of others: each of them has an answer.
  def test_damaged_ones_have_a_page
    raw = Zlib.gunzip(File.binread(KeptCapture::FILE)).freeze
    random = Random.new(1)
    path = File.join(folder, "20261121T120000Z-7.holdup-capture")
    12.times do |turn|
      bytes = turn.even? ? raw.byteslice(0, random.rand(raw.bytesize)) : raw.dup.tap { |copy|
        40.times { copy.setbyte(random.rand(copy.bytesize), random.rand(256)) }
      }
      File.binwrite(path, Zlib.gzip(bytes, level: 1))
      @app = dashboard(captures: -> { folder })
      ["/captures", "/capture?id=20261121T120000Z-7",
        "/captures/20261121T120000Z-7/columns"].each do |address|
        get address
        assert_includes [200, 400], last_response.status, [turn, address]
      end
    end
  end

  def test_the_answer_says_when_the_capture_comes
    SegmentWriter.new(folder, worker: 3)
    @app = dashboard(captures: -> { folder }, dir: folder, orders: true)
    get "/captures"
    assert_includes markup, %(<option value="#{Process.pid}">worker 3 (pid #{Process.pid})</option>)
    post "/captures", {"pid" => Process.pid.to_s}, {"HTTP_SEC_FETCH_SITE" => "same-origin"}
    assert_equal [303, "/captures?asked=#{Process.pid}"],
      [last_response.status, last_response.headers["location"]]
    get last_response.headers["location"]
    assert_includes text, "Process #{Process.pid} was asked."
  end

  def test_where_it_is_allowed_only_by_a_page_of_ours
    @app = dashboard(captures: -> { folder }, orders: true)
    {
      {"HTTP_SEC_FETCH_SITE" => "cross-site"} => 403,
      {"HTTP_ORIGIN" => "http://elsewhere.example"} => 403,
      {"HTTP_ORIGIN" => "null"} => 403,
      {"HTTP_SEC_FETCH_SITE" => "same-origin"} => 503,
      {"HTTP_ORIGIN" => "http://example.org"} => 503
    }.each do |headers, status|
      post "/captures", {"pid" => "1"}, headers
      assert_equal status, last_response.status, headers.inspect
    end
    assert_includes text, "process 1 measures nothing here"
    ["x", "-1", nil].each do |pid|
      post "/captures", {"pid" => pid}.compact, {"HTTP_SEC_FETCH_SITE" => "same-origin"}
      assert_equal 400, last_response.status
    end
    post "/", {}, {"HTTP_SEC_FETCH_SITE" => "same-origin"}
    assert_equal 405, last_response.status
    get "/captures"
    assert_includes text, "This host has no measured process now."
  end
end

class Holdup::Captures::Reader::ColumnsTest < Minitest::Test
  include CaptureColumns

  MS = 1_000_000

  # The hog holds for 100 ms. The light unit waits for 90 of them, and 2 ms while no thread holds.
  def ring
    ring = EventRing.new(names: ["GET /hog", "GET /light"], threads: {2 => "srv 1", 3 => "srv 2"})
    ring.running(2).idle(3).begins(1, 2, 1 * MS).begins(2, 3, 2 * MS).ready(3, 10 * MS, unit: 2)
    ring.collected(2, 20 * MS, 30 * MS).suspended(2, 100 * MS, unit: 1).resumed(3, 102 * MS, unit: 2)
    ring.ends(1, 2, 103 * MS, name: "GET /hog").ends(2, 3, 110 * MS, name: "GET /light")
  end

  def scene
    Holdup::Captures::Timeline::Scene.new(ring.recording(to: 200 * MS))
  end

  def test_columns_add_up_to_what_the_timeline_says
    unpacked = columns(Holdup::Captures::Reader::Columns.new(scene).call)
    assert_equal scene.lanes.map { |lane| lane.spans.to_h { |span| [[span.from, span.to], span.state] } },
      unpacked[:lanes].map { |lane| lane.to_h { |from, to, state, _| [[from, to], state] } }
    assert_equal scene.lanes.map { |lane| lane.spans.map(&:length).sum },
      unpacked[:lanes].map { |lane| lane.sum { |from, to, *| to - from } }
    held = unpacked[:holders].sum { |from, to, *| to - from }
    assert_equal held, scene.lanes.sum { |lane| lane.sums[:running] }
    assert_equal [["srv 1", 1], ["srv 2", 2]],
      unpacked[:holders].map { |_, _, lane, unit|
        [unpacked[:names][lane],
          unit]
      }.uniq.reject { |_, unit| unit.zero? }
  end

  def test_names_in_any_script
    ring = EventRing.new(names: ["GET /注文"], threads: {2 => "スレッド 🍣"}).running(2)
    ring.begins(1, 2, 1 * MS).suspended(2, 90 * MS, unit: 1).ends(1, 2, 103 * MS, name: "GET /注文")
    scene = Holdup::Captures::Timeline::Scene.new(ring.recording(to: 200 * MS))
    unpacked = columns(Holdup::Captures::Reader::Columns.new(scene).call)
    assert_equal ["スレッド 🍣"], unpacked[:names]
  end

  # Moments are rounded down to a nanosecond, so a sum of so many lengths is off by less than so many.
  def test_a_real_one_adds_up_by_state_and_by_method
    scene = Holdup::Captures::Timeline::Scene.new(Holdup::Capture::Archive.read(KeptCapture::FILE))
    unpacked = columns(Holdup::Captures::Reader::Columns.new(scene).call)
    %i[running stalled idle].each do |state|
      spans = scene.lanes.flat_map(&:spans).select { |span| span.state == state }
      assert_in_delta scene.ns(spans.sum(&:length)),
        unpacked[:lanes].flatten(1).sum { |from, to, shown, _| (shown == state) ? to - from : 0 }, spans.size
    end
    methods = Holdup::Captures::Timeline::StackShares::MethodTable.new(scene).call
    holders = methods.select { |row| row.held.positive? }.group_by(&:method)
    held = holders.transform_values { |rows| scene.ns(rows.sum(&:held)) }
    seen = unpacked[:holders].group_by { |_, _, _, _, method| unpacked[:methods][method]&.split(" (")&.first }
    assert_equal held.keys.compact.sort, seen.keys.compact.sort
    held.each { |method, ns|
      assert_in_delta ns, seen.fetch(method).sum { |from, to, *| to - from }, unpacked[:holders].size,
        method.inspect
    }
  end
end
