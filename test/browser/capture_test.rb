# frozen_string_literal: true

require "test_helper"
require_relative "looking"

# Captures as people look through them: in both languages, by keyboard alone, by mouse, and without scripts.
class CaptureTest < Minitest::Test
  include Looking

  # Ends when what a key changed is drawn.
  TWO_FRAMES = "requestAnimationFrame(() => requestAnimationFrame(arguments[0]))"

  class << self
    def kept
      @kept ||= KeptCapture.new.tap { |kept| Minitest.after_run { kept.remove } }
    end

    def dashboard
      @dashboard ||= Looking.serve(captures: kept.folder)
    end
  end

  def setup
    chromium.theme("light")
    chromium.size(1280)
  end

  def show(path = self.class.kept.path(unit: KeptCapture::CAUGHT), **words)
    look(path, dashboard: self.class.dashboard, lang: "en", **words)
  end

  %w[en ja].each do |language|
    define_method(:"test_the_list_and_the_viewer_in_#{language}") do
      ["/captures", self.class.kept.path(unit: KeptCapture::CAUGHT)].each do |path|
        assert_fine(path, language, dashboard: self.class.dashboard)
      end
      assert page.has_css?(".stage canvas", visible: :all)
    end
  end

  def test_a_wait_says_who_held_and_leads_there
    show
    assert_equal "puma srv tp 002 waits for the GVL", description[/\A[^.]*?GVL/]
    holder = page.first(".description button")
    assert_match(/ReportsController#sales #\d+ .* SalesReport#pair_counts/, holder.text)
    holder.click
    assert page.has_css?(".description p", text: /has the GVL .* ReportsController#sales/)
    assert_empty chromium.faults
  end

  def test_the_panel_has_the_punctuation_of_the_language
    show(lang: "ja")
    holder = page.first(".description button").text
    assert_match(/ReportsController#sales #\d+ .*（.*sales_report\.rb:\d+）：\d/, holder)
    page.all(".description li").each { |item| refute_match(/[()]|: /, item.text) }
  end

  def test_opens_on_the_longest_wait_with_the_panel_beside_it
    chromium.size(1440)
    show(self.class.kept.path)
    assert_match(/\Apuma srv tp 002 waits for the GVL for 217[[:space:]]ms/, description)
    stage, panel = %w[.stage .panel].map { |css| edges(css) }
    assert_operator panel["left"], :>=, stage["right"], "beside the rows"
    assert_operator panel["top"], :<, stage["bottom"]
    page.execute_script("window.scrollTo(0, document.querySelector('.stage').offsetTop + 60)")
    assert_operator edges(".panel")["top"], :>=, 0, "stays in sight"
  ensure
    chromium.size(1280)
  end

  def test_the_holders_have_the_colours_of_their_endpoints
    show
    names = page.all(".holders li").map(&:text)
    assert_equal ["ProductsController#index", "ReportsController#sales"], names.first(2)
    assert_equal "outside requests and jobs", names.last
    colours = page.evaluate_script(<<~JS)
      (() => {
        const canvas = document.querySelector('.stage canvas');
        const scale = canvas.width / canvas.clientWidth;
        const at = (y) => Array.from(canvas.getContext('2d')
          .getImageData(canvas.width / 2, y * scale, 1, 1).data.subarray(0, 3)).join();
        const named = (css) => getComputedStyle(document.querySelector(css)).fill.match(/\\d+/g).join();
        return [at(46), named('.holders li:nth-child(2) rect'), named('.legend .s-cpu')];
      })()
    JS
    assert_equal colours[1], colours[0], "ReportsController#sales held in the middle of the picture"
    refute_equal colours[2], colours[0], "a colour of names is none of states"
  end

  def test_silent_threads_are_folded
    show
    height = page.evaluate_script("document.querySelector('.stage canvas').clientHeight")
    page.click_button("8 more threads")
    assert page.has_button?("Hide threads without requests and jobs")
    page.evaluate_async_script(TWO_FRAMES)
    assert_equal height + 8 * 39, page.evaluate_script("document.querySelector('.stage canvas').clientHeight")
    page.click_button("Hide threads without requests and jobs")
    page.find("[type=search]").click
    page.send_keys("reaper", :enter)
    assert page.has_button?("Hide threads without requests and jobs"), "what is found is shown"
    assert_empty chromium.faults
  end

  def test_the_story_has_its_main_periods_first_and_all_in_a_fold
    show
    rows = page.all(".story tbody tr").map(&:text)
    assert_equal 4, rows.size
    assert_match(/217 ms.*waited for ReportsController#sales, in SalesReport#pair_counts/m, rows.first)
    assert_match(/31 other periods/, rows.last)
    assert page.has_no_css?("details.fold[open]", wait: 0)
    page.find("summary", text: "All periods of it").click
    assert_operator page.all("details.fold tbody tr").size, :>, 20
  end

  def test_no_name_is_broken
    show
    [1440, 390].each do |width|
      chromium.size(width)
      names = page.evaluate_script(<<~JS)
        ((selectors) => {
          const texts = [...document.querySelectorAll(selectors)].flatMap((element) => {
            const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
            const found = [];
            while (walker.nextNode()) found.push(walker.currentNode);
            return found;
          });
          return texts.flatMap((text) =>
            [...text.data.matchAll(/[A-Z]\\w+#\\w+/g)].map(({ index, 0: name }) => {
              const range = document.createRange();
              range.setStart(text, index);
              range.setEnd(text, index + name.length);
              return [name, range.getClientRects().length];
            }));
        })('.story p, .story td, .lead, .description button')
      JS
      assert_operator names.size, :>, 5
      assert_empty names.reject { |_, lines| lines == 1 }, "at #{width} pixels"
    end
  ensure
    chromium.size(1280)
  end

  # Cards whose name has less than their width.
  SQUEEZED = <<~JS
    [...document.querySelectorAll(".capture ~ .cards tbody tr")]
      .filter((row) => row.querySelector("th").offsetWidth < row.offsetWidth)
      .map((row) => row.textContent)
  JS

  def test_on_a_phone_a_method_has_the_whole_width
    chromium.size(390)
    show
    assert page.has_css?(".capture ~ .cards tbody th", text: "SalesReport#pair_counts")
    assert_empty page.evaluate_script(SQUEEZED)
  ensure
    chromium.size(1280)
  end

  def test_by_keyboard_alone
    show(self.class.kept.path)
    focus_stage
    first = press("n") { |said| said.include?("waits for it") || said.include?("waits for the GVL") }
    refute_equal first, press("n") { |said| said != first }
    press(:down) { |said| !said.start_with?(first[/\A\S+ \S+ \S+ \S+/]) }
    find_by_keyboard(KeptCapture::CAUGHT)
    ["+", "+", :right, "t"].each { |key| page.send_keys(key) }
    assert page.has_css?(".note", text: "Only the part of the capture between")
    assert page.has_current_path?(/from_ns=\d+&to_ns=\d+/)
    page.send_keys(:escape, "0")
    assert_empty chromium.faults
    assert_empty chromium.barriers
  end

  # What is found is followed, and the page tells its story.
  def find_by_keyboard(id)
    page.send_keys(%i[shift tab]) until page.active_element[:type] == "search"
    page.send_keys("##{id}", :enter)
    assert page.has_css?("h2", text: / \(id #{id}\) /)
    assert page.has_current_path?(/unit=#{id}/)
    page.send_keys(:tab) until page.active_element[:role] == "application"
  end

  def test_moving_and_zooming_draw_within_bounds
    show
    page.execute_script(<<~JS)
      window.drawn = [];
      document.querySelector('[data-capture]')
        .addEventListener('holdup:drawn', ({ detail }) => drawn.push(detail.drawn))
    JS
    focus_stage
    ["+", "-", "-", :left, :home, :end, "0"].each do |key|
      page.send_keys(key)
      page.evaluate_async_script(TWO_FRAMES)
    end
    assert page.has_css?(".stage canvas")
    rows = page.evaluate_script("document.querySelector('.stage canvas').clientHeight / 39")
    width = page.evaluate_script("document.querySelector('.stage').clientWidth")
    drawn = page.evaluate_script("drawn")
    refute_empty drawn
    assert_operator drawn.max, :<=, rows * width
  end

  def test_without_scripts_tables_tell_it
    chromium.scripts(false)
    show
    assert page.has_css?("h2", text: "(id #{KeptCapture::CAUGHT})")
    assert page.has_css?("tbody tr th", text: "ReportsController#sales")
    assert page.has_css?("svg.flame text", text: "SalesReport#pair_counts")
    assert page.has_no_css?(".stage", wait: 0)
    assert_empty chromium.faults
  ensure
    chromium.scripts(true)
  end

  private

  def edges(css) = page.evaluate_script("document.querySelector('#{css}').getBoundingClientRect().toJSON()")

  def description = page.find(".description p", text: /./).text

  def focus_stage
    page.find(".stage canvas", visible: :all)
    page.send_keys(:tab) until page.active_element[:role] == "application"
  end

  # @return [String] what is said after a key
  def press(key)
    page.send_keys(key)
    page.assert_selector(".description p", visible: :all) { |line| yield line.text(:all) }
    page.find(".description p", visible: :all).text(:all)
  end
end
