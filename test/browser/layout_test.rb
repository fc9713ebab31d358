# frozen_string_literal: true

require "test_helper"
require_relative "four_endpoints"
require_relative "looking"

# The answer comes first, on a laptop and on a phone, and nothing of a table is hidden without a hint.
class LayoutTest < Minitest::Test
  include Looking

  # width, height => pixels from the top within which the first sentence of the answer has to begin
  FIRST_SENTENCE = {[1024, 600] => 200, [390, 844] => 260}.freeze
  HALF_AN_HOUR_S = 1800
  TOP = "document.querySelector('.blocks > *').getBoundingClientRect().top"
  LINES = "new Set([...document.querySelectorAll('header nav > ul a')].map((link) => link.offsetTop)).size"
  # Titles of the columns of the first table whose right edge is visible.
  VISIBLE = <<~JS
    [...document.querySelectorAll("thead")[0].querySelectorAll("th")]
      .filter((head) => {
        const edge = document.querySelector(".wide").getBoundingClientRect().right;
        return head.getBoundingClientRect().right <= edge + 1;
      })
      .map((head) => head.textContent.replace(/[▲▼]/, "").trim())
  JS
  # Names that break where no part of them ends.
  BROKEN = <<~JS
    [...document.querySelectorAll("tbody :is(th, th a)")].flatMap((name) => [...name.childNodes])
      .filter((node) => {
        const range = document.createRange();
        range.selectNode(node);
        return node.nodeType === Node.TEXT_NODE && !/\\s/.test(node.textContent) &&
          range.getClientRects().length > 1;
      }).map((node) => node.textContent)
  JS

  def setup
    chromium.theme("light")
  end

  def self.old
    @old ||= Looking.serve(later_s: HALF_AN_HOUR_S)
  end

  # Where the first sentence begins, by width, and how many lines the menu has on a laptop.
  Measured = Data.define(:tops, :lines)

  FIRST_SENTENCE.each do |(width, _height), most|
    define_method(:"test_the_answer_begins_at_the_top_of_#{width}_pixels") do
      measured.each do |where, page|
        assert_operator page.tops.fetch(width), :<=, most, where
      end
    end
  end

  # Each page in both languages is loaded once, for all tests that look at its upper part.
  # @return [Hash{String => Measured}] by path and language
  def measured = self.class.measured ||= measure

  class << self
    attr_accessor :measured
  end

  def measure
    Looking::PATHS.product(%w[en ja]).to_h do |path, language|
      laptop, phone = FIRST_SENTENCE.keys
      chromium.size(*laptop)
      look(path, dashboard: self.class.old, lang: language)
      lines = page.evaluate_script(LINES)
      tops = [laptop, phone].to_h do |width, height|
        chromium.size(width, height)
        [width, page.evaluate_script(TOP)]
      end
      ["#{path} #{language}", Measured.new(tops:, lines:)]
    end
  end

  # What it is, of whom, and what to do: without scrolling.
  def test_the_overview_answers_within_600_pixels
    chromium.size(1280, 720)
    %w[en ja].each do |language|
      look("/", lang: language, since: "6h")
      bottoms = page.evaluate_script(<<~JS)
        [...document.querySelectorAll(".lead, .split, .action")]
          .map((part) => part.getBoundingClientRect().bottom)
      JS
      assert_equal 3, bottoms.size, language
      assert_operator bottoms.max, :<=, 600, language
    end
  end

  # The height of a page in both languages, by the size of the screen.
  HEIGHTS = {[1440, 900] => 900, [390, 844] => 2600}.freeze

  def test_the_overview_of_four_endpoints_is_one_screen
    sample = FourEndpoints.new
    sample.in_a_file do |store|
      dashboard = ServedDashboard.new(store:, now_s: sample.to_s)
      HEIGHTS.to_a.product(%w[en ja]) do |((width, height), most), language|
        chromium.size(width, height)
        look("/", dashboard:, lang: language, since: "1h")
        assert page.has_css?(".stacked canvas", count: 2)
        assert page.has_css?("table .spark", count: 4)
        tall = page.evaluate_script("document.documentElement.scrollHeight")
        assert_operator tall, :<=, most, "#{width} #{language}"
      end
    ensure
      dashboard&.stop
    end
  end

  # What was recorded of the shop => its span.
  RECORDINGS = {"storefront" => "15m", "calm" => "6m", "starved" => "6m"}.freeze

  # Five endpoints, notes, and legends of two lines.
  RECORDINGS.each do |name, span|
    define_method(:"test_the_overview_of_the_#{name}_recording_is_one_screen_too") do
      recorded = Recorded.new(File.expand_path("../fixtures/#{name}.sqlite3.gz", __dir__))
      dashboard = ServedDashboard.new(store: recorded.store, now_s: recorded.now_s)
      HEIGHTS.to_a.product(%w[en ja]) do |((width, height), most), language|
        chromium.size(width, height)
        look("/", dashboard:, lang: language, since: span)
        assert page.has_css?(".stacked canvas", minimum: 1)
        assert page.has_css?("table .spark", count: 5)
        tall = page.evaluate_script("document.documentElement.scrollHeight")
        assert_operator tall, :<=, most, "#{width} #{language}"
      end
    ensure
      dashboard&.stop
      recorded&.remove
    end
  end

  def test_what_is_not_on_the_first_screen_unfolds
    chromium.size(1440, 900)
    look("/", lang: "en", since: "6h")
    assert page.has_no_css?("h2", text: "Over time", wait: 0)
    page.find(".fold > summary").click
    assert page.has_css?("h2", text: "Over time")
    assert page.has_css?(".fold canvas")
    assert_empty chromium.barriers
  end

  def test_the_text_for_the_team_has_the_address_of_the_page
    look("/", lang: "en", since: "6h")
    page.find(".action summary").click
    text = page.find(".action textarea").value
    assert_match(%r{\A\*\*.+\*\* .+\n\n.+\n\nhttp://127\.0\.0\.1:\d+/\?since=20.+&until=20}m, text)
  end

  def test_a_laptop_shows_all_pages_in_one_line
    measured.each { |where, page| assert_equal 1, page.lines, where }
  end

  def test_a_phone_has_the_pages_behind_one_word
    chromium.size(390, 844)
    look("/", lang: "en")
    assert page.has_no_css?("nav a", text: "Changes", wait: 0)
    page.find("nav summary").click
    page.within("header nav") { page.click_link("Changes") }
    assert page.has_css?("h1", text: "Compare")
    page.find("nav summary").click
    assert_empty chromium.barriers
  end

  def test_the_menu_of_a_phone_opens_by_keyboard_and_without_scripts
    chromium.size(390, 844)
    chromium.scripts(false)
    look("/", lang: "en")
    3.times { page.send_keys(:tab) }
    page.send_keys(:enter)
    assert page.has_css?("nav a", text: "Changes")
  ensure
    chromium.scripts(true)
  end

  # Right edge of what is on a page's upper part, as a share of its width.
  REACH = <<~JS
    (() => {
      const main = document.querySelector(".blocks").getBoundingClientRect();
      const parts = [...document.querySelectorAll(".blocks td, .blocks dd, .blocks canvas, .blocks li")];
      const boxes = parts.map((part) => part.getBoundingClientRect());
      const shown = boxes.filter((box) => box.width && box.top < 1440);
      return (Math.max(...shown.map((box) => box.right)) - main.left) / main.width;
    })()
  JS

  def test_a_wide_screen_is_used_to_its_right_half
    chromium.size(2560, 1440)
    %w[/ /requests /blame /fleet /processes /compare /jit /health].each do |path|
      look(path, lang: "en", since: "6h")
      assert_operator page.evaluate_script(REACH), :>, 0.7, path
    end
  end

  def test_findings_stand_beside_the_settings_that_they_are_about
    chromium.size(2560, 1440)
    played = PlayedStore.new(PlayedRecording.new(minutes: 20, rate: 8.0))
    played.in_a_file do |store|
      dashboard = ServedDashboard.new(store:, now_s: played.to_s)
      look("/advice", dashboard:, lang: "en")
      table, findings = ["tbody tr", ".findings li"].map { |part| box(part) }
      assert_operator findings["left"], :>, table["right"]
    ensure
      dashboard&.stop
    end
  end

  def box(selector)
    page.evaluate_script("document.querySelector(arguments[0]).getBoundingClientRect().toJSON()", selector)
  end

  def test_the_filter_is_behind_one_word_and_says_what_was_chosen
    chromium.size(1024, 600)
    look("/", lang: "en", since: "6h", name: "Orders*")
    assert page.has_no_field?("name", wait: 0)
    assert page.has_css?(".more summary", text: "Orders*")
    page.find(".more summary").click
    page.fill_in("name", with: "Carts*")
    page.click_button("Show")
    assert page.has_css?(".more summary", text: "Carts*")
    assert page.has_css?(".spans [aria-current]", text: "6h")
  end

  def test_a_laptop_shows_all_columns_of_jobs_and_endpoints
    chromium.size(1024, 600)
    %w[/jobs /requests].product(%w[en ja]) do |path, language|
      look(path, lang: language)
      count = page.evaluate_script("document.querySelectorAll('thead')[0].querySelectorAll('th').length")
      assert_equal count, page.evaluate_script(VISIBLE).size, "#{path} #{language}"
    end
  end

  def test_a_phone_shows_who_suffers_and_who_causes
    chromium.size(390, 844)
    look("/requests", lang: "en")
    assert_equal %w[name suffered caused], page.evaluate_script(VISIBLE).first(3)
  end

  def test_a_laptop_has_room_for_why_a_request_was_slow
    chromium.size(1024, 600)
    %w[en ja].each do |lang|
      look("/slowest", lang:, since: "6h")
      width = page.evaluate_script("document.querySelector('td.words').getBoundingClientRect().width")
      assert_operator width, :>, 250, lang
      assert_empty page.evaluate_script(BROKEN), lang
    end
  end

  # Places of methods that break inside.
  PLACES = <<~JS
    [...document.querySelectorAll("tbody th small")].flatMap((small) => {
      const walker = document.createTreeWalker(small, NodeFilter.SHOW_TEXT);
      const broken = [];
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        for (const { 0: place, index } of node.data.matchAll(/\\w+\\.rb:\\d+/g)) {
          const range = document.createRange();
          range.setStart(node, index);
          range.setEnd(node, index + place.length);
          if (range.getClientRects().length > 1) broken.push(place);
        }
      }
      return broken;
    })
  JS

  def test_a_phone_breaks_no_place_of_a_method
    chromium.size(390, 844)
    %w[en ja].each do |lang|
      look("/requests", lang:, since: "6h")
      assert page.has_css?("tbody th small", text: /\.rb:\d/), lang
      assert_empty page.evaluate_script(PLACES), lang
    end
  end

  # Cells that are not whole on the screen.
  BEYOND = <<~JS
    [...document.querySelectorAll(".cards :is(th, td)")]
      .filter((cell) => cell.closest("tbody") && cell.getBoundingClientRect().right > innerWidth)
      .map((cell) => cell.textContent)
  JS

  def test_a_phone_shows_all_of_a_row_with_a_sentence
    chromium.size(390, 844)
    paths = ["/", "/slowest", "/endpoint?unit=OrdersController%23index&kind=request"]
    paths.product(%w[en ja]) do |path, lang|
      look(path, lang:, since: "6h")
      assert page.has_css?(".cards td.words"), path
      assert_empty page.evaluate_script(BEYOND), path
    end
  end

  def test_the_smallest_states_that_matter_have_their_meaning
    chromium.size(1440, 900)
    look("/", lang: "en", since: "6h")
    assert page.has_css?(".split .legend li", text: /starved .+ holds the GVL but has no CPU/)
  end

  def test_a_table_that_scrolls_is_focusable_and_labelled
    chromium.size(390, 844)
    look("/requests", lang: "en")
    region = page.find(".wide", match: :first)
    assert_equal "group", region[:role]
    assert_equal "One by one (scrolls sideways)", region["aria-label"]
    assert_equal "0", region[:tabindex]
    wide = "document.querySelector('.wide')"
    width, room = page.evaluate_script("[#{wide}.scrollWidth, #{wide}.clientWidth]")
    assert_operator width, :>, room
  end

  def test_names_break_between_their_words
    [390, 1024].product(%w[/requests /jobs /compare]) do |width, path|
      chromium.size(width, 600)
      look(path, lang: "en")
      assert_empty page.evaluate_script(BROKEN), "#{path} at #{width}"
    end
  end

  def test_words_begin_at_the_left_and_figures_end_at_the_right
    chromium.size(1024, 600)
    look("/jit", lang: "en")
    assert_equal "left", alignment(page.find("td", text: "rails", match: :first))
    assert_equal "right", alignment(page.find("td", text: /\A\d+ s\z/, match: :first))
  end

  def alignment(cell)
    page.evaluate_script("getComputedStyle(arguments[0]).textAlign", cell)
  end

  def test_commands_are_code
    look("/calculator", lang: "ja")
    assert page.has_css?("code", text: "holdup report")
    refute_includes page.text, "`"
  end
end
