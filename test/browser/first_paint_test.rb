# frozen_string_literal: true

require "test_helper"
require_relative "looking"

# What the overview shows before its figures are read, and that nothing moves when they come.
class FirstPaintTest < Minitest::Test
  include Looking

  # Sends the rest of a page when the test wants it.
  class Held
    def initialize(app)
      @app = app
      @wanted = Queue.new
    end

    def go_on = @wanted << true

    def call(env)
      status, headers, body = @app.call(env)
      return [status, headers, body] unless body.is_a?(Holdup::Web::StreamedPage)
      [status, headers, Enumerator.new { |parts| hold(body, parts) }]
    end

    private

    def hold(body, parts)
      body.each.with_index do |part, index|
        @wanted.pop(timeout: Chromium::PATIENCE_S) if index.positive?
        parts << part
      end
    ensure
      body.close
    end
  end

  # Shifts of the layout, from the beginning: how much, and of what.
  SHIFTS = <<~JS
    window.shifts = [];
    const shifted = ({ node }) => `${node?.nodeName} ${node?.className ?? node?.textContent}`;
    new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map(({ value, sources }) => (
      { value, sources: sources.map(shifted) }))))
      .observe({ type: "layout-shift", buffered: true });
  JS
  # What nobody sees: a word that moves within its line has 0.008.
  STILL = 0.02
  SIZES = [[1440, 900], [390, 844]].freeze

  def setup
    chromium.theme("light")
    @recorded = Recorded.new
    @dashboard = ServedDashboard.new(store: @recorded.store, now_s: @recorded.now_s,
      around: ->(app) { @held = Held.new(app) })
  end

  def teardown
    @dashboard.stop
    @recorded.remove
  end

  def test_title_menu_and_skeleton_are_there_before_the_figures
    SIZES.product(%w[en ja]) do |size, language|
      chromium.size(*size)
      shifts = watched { open_page(language) }

      score = shifts.sum { |shift| shift["value"] }
      assert_operator score, :<, STILL, "#{size.first} #{language}: #{shifts}"
    end
  end

  def open_page(language)
    browser.command("Page.navigate", url: "#{@dashboard.address}/?since=15m&lang=#{language}")
    wait_until { unfinished("getComputedStyle(document.querySelector('.skeleton')).display") == "grid" }
    assert unfinished("!!document.querySelector('html[lang=#{language}] h1')")
    assert unfinished("!document.querySelector('.blocks')")
    @held.go_on
    assert page.has_css?(".stacked canvas", count: 2)
    assert page.has_no_css?(".skeleton")
    chromium.settle
  end

  # Capybara waits until a page is complete.
  # @return [Object, nil] of a script
  def unfinished(script)
    browser.command("Runtime.evaluate", expression: script, returnByValue: true).dig("result", "value")
  end

  # @return [Array<Hash>] how the layout shifts meanwhile
  def watched
    added = browser.command("Page.addScriptToEvaluateOnNewDocument", source: SHIFTS).fetch("identifier")
    yield
    page.evaluate_script("window.shifts")
  ensure
    browser.command("Page.removeScriptToEvaluateOnNewDocument", identifier: added)
  end

  def browser = page.driver.browser.page

  def test_a_page_without_scripts_shows_the_same
    chromium.scripts(false)
    @held.go_on
    look("/", dashboard: @dashboard, lang: "en", since: "15m")
    assert page.has_css?(".blocks .lead")
    assert page.has_no_css?(".skeleton, .chart, .live")
  ensure
    chromium.scripts(true)
  end
end
