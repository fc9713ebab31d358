# frozen_string_literal: true

require "test_helper"
require "holdup/capture/archive"
require "holdup/loader"
require "json"

class Holdup::Captures::ReaderTest < Minitest::Test
  include DashboardCaptures

  MS = 1_000_000
  HOSTILE = "<script>alert(1)</script>\u202E"

  def scene
    Holdup::Captures::Timeline::Scene.new(ring.recording(to: 200 * MS))
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

  def test_words_from_nowhere
    id = keep
    [["unit", "99"], ["unit", "x"], ["from_ns", "x"], ["to_ns", "-1"],
      ["from_ns", "9" * 30]].each do |word, value|
      asked = {"id" => id, "from_ns" => "1", "to_ns" => "2"}.merge(word => value)
      assert_equal 400, answer("/capture", URI.encode_www_form(asked)), word
    end
    assert_equal 400, answer("/capture", URI.encode_www_form("id" => id, "from_ns" => "5", "to_ns" => "5"))
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

  def test_what_has_no_name_is_left_to_the_language_of_the_page
    ring = EventRing.new(names: ["GET /a"], threads: {2 => "t"}).running(2)
    ring.begins(1, 2, 1 * MS).ends(1, 2, 3 * MS, name: "GET /a").begins(2, 2, 5 * MS)
    scene = Holdup::Captures::Timeline::Scene.new(ring.recording(to: 9 * MS))
    length, head = Holdup::Captures::Reader::Columns.new(scene).call.unpack("x4L<a*")
    units = JSON.parse(head.byteslice(0, length)).fetch("units")
    assert_equal ["GET /a", nil], units.map { |unit| unit[2] }
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
