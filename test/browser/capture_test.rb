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
