# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "digest"
require "nokogiri"

class Holdup::Report::HtmlReportTest < Minitest::Test
  HOSTILE = ["<script>alert(1)</script>", "</style><img src=//x.example/a>", "\u202Egnp.exe",
    "\u{1F4A9}" * 300, "javascript:alert(1)", "'\" onload=x"].freeze
  SHAPE = {ms: {cpu: 1, stalled: 1, io: 3}, acquisitions: 1, units: 5, blame: 1}.freeze

  def sample(names = nil, **options)
    names ? SampleWindows.new(units: names.to_h { |name| [name, SHAPE] }, minutes: 1,
**options) : SampleWindows.new
  end

  def html(*samples, limit: 15, language: "en", chosen: Holdup::Analysis::UnitFilter.new,
    before_s: 0, **more)
    store = Holdup::Store.open("memory:")
    samples.each { |one| store.commit(one.stored, {}, processes: SampleProcesses.new(one).to_a) }
    query = Holdup::Report::HtmlReport::Query.new(from_s: samples.first.from_s - before_s,
      until_s: samples.first.to_s, chosen:, limit:)
    words = Holdup::View::Words.new(language)
    Holdup::Report::HtmlReport.new(store, query:, words:, **more).call
  end

  def parsed(...)
    Nokogiri::HTML5(html(...), max_errors: 10).tap { |page| assert_empty page.errors.map(&:to_s) }
  end

  def test_the_pages_and_their_tables
    page = parsed(sample, remarks: ["jit is not what it was"])
    assert_equal %w[overview requests blame processes jit],
      page.css("nav a").map { |link| link["href"].delete_prefix("#") }
    captions = ["Threads over time", "Who waits (rows) for whom (columns)",
      "Endpoints and jobs, those that matter most first", "Over time",
      "Who made others wait, and who waited"]
    assert_equal captions, page.css("#overview caption").map(&:text).first(5)
    assert_operator page.css("#overview .drawings figure path[d^=M]").size, :>, 10
    assert_includes page.at_css("#overview .lead + .notes").text, "jit is not what it was"
    assert_equal 8, page.css("#requests tbody tr").size
    blame = page.css("#blame table").first.css("tbody tr")
    assert_equal 8, blame.count { |row| row.at_css("th").text.include?("Controller") }
    assert_includes page.at_css("#unit-1").text, "What makes it wait"
    page.css("table").each { |table|
      assert_equal 1, table.css("tr").map { |row| row.css("th, td").size }.uniq.size
    }
  end

  def test_single_units_have_charts_where_there_is_room_for_them
    with, without = [{}, {most_bytes: 1}].map { |room| parsed(sample, **room) }
    assert_operator with.css("#unit-1 .drawings figure path[d^=M]").size, :>, 3
    assert_empty without.css("#unit-1 .drawings")
    assert_operator without.css("#overview .drawings figure").size, :>, 3
  end

  def test_drawings_of_a_long_span_show_and_name_the_part_that_has_data
    page = parsed(sample, before_s: 86_400)
    assert_match(/The charts show .*, the part of this span that has data\./,
      page.at_css("#overview .note:contains('charts show')").text)
    assert_equal Time.at(SampleWindows::START_S).strftime("%F %H:%M"),
      page.at_css("#overview .drawings text[y='182']").text
    assert_empty page.css("a").map(&:text).grep(/Show the whole span/)
  end

  def test_what_it_refers_to_is_in_it
    page = parsed(sample)
    ids = page.css("[id]").map { |element| element["id"] }
    assert_equal ids.uniq, ids
    links = page.css("[href]").map { |element| element["href"] }
    assert_empty links.reject { |href| href == "data:," || ids.include?(href.delete_prefix("#")) }
    assert_empty page.css("[src], [action], form, script, link[rel=stylesheet], [style]")
    refute_match(%r{https?:|url\((?!#)|@import}, page.to_s)
  end

  def test_the_policy_lets_its_style_through_and_nothing_else
    page = parsed(sample)
    policy = page.at_css("meta[http-equiv=Content-Security-Policy]")["content"]
    digest = Digest::SHA256.base64digest(page.at_css("style").text)
    expected = "default-src 'none'; style-src 'sha256-#{digest}'; img-src data:; " \
      "base-uri 'none'; form-action 'none'"
    assert_equal expected, policy
    assert_operator page.to_s.index("Content-Security-Policy"), :<, page.to_s.index("<style")
  end

  def test_names_are_text
    page = parsed(sample(HOSTILE))
    assert_empty page.css("script, img, [onload]")
    assert_includes page.at_css("#requests").text, "<script>alert(1)</script>"
    refute_includes page.to_s, "\u202E"
  end

  one_ruby def test_a_megabyte_is_enough_for_the_worst
    names = Array.new(120) { |index| "#{"\u{1F4A9}" * 300}#{index}" }
    jobs = sample(names, kind: :job, queue: "\u{1F4A9}" * 100)
    assert_operator html(sample(names), jobs, limit: 100).bytesize, :<, 1_000_000
  end

  def test_japanese_filtered_and_empty
    page = parsed(sample, language: "ja",
      chosen: Holdup::Analysis::UnitFilter.new(kind: :request, name: "Orders*"))
    assert_equal "ja", page.root["lang"]
    assert_match(/リクエスト.*Orders\*/, page.css(".about").last.text)
    assert_equal 1, page.css("#requests tbody tr").size
    assert_empty parsed(sample, chosen: Holdup::Analysis::UnitFilter.new(name: "none")).css("article").drop(1)
  end
end
