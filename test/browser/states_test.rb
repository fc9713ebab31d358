# frozen_string_literal: true

require "test_helper"
require_relative "looking"

# Pages without data, while their data comes, and on paper.
class StatesTest < Minitest::Test
  include Looking

  LONG_AGO = {since: "2020-01-01", until: "2020-01-02"}.freeze
  # In CSS pixels, between the margins.
  PAPER = 1032
  # What leads on: a link within the page, a form, a command, or the remedies of checks.
  STEP = ".blocks a, .blocks form, .blocks code, .blocks pre, .checks"

  def setup
    chromium.theme("light")
    chromium.size(1280)
  end

  def teardown
    page.driver.browser.page.command("Emulation.setEmulatedMedia", media: "")
  end

  def test_every_page_without_data_says_what_to_do
    Looking::PATHS.product(%w[en ja]) do |path, language|
      look(path, lang: language, **LONG_AGO)
      assert page.has_css?(STEP), "#{path} #{language}"
    end
  end

  def test_a_chart_says_that_its_figures_are_being_read
    gate = Queue.new
    around = lambda do |app|
      lambda do |env|
        gate.pop if env["PATH_INFO"].start_with?("/series")
        app.call(env)
      end
    end
    recorded = Recorded.new
    dashboard = ServedDashboard.new(store: recorded.store, now_s: recorded.now_s, around:)
    page.visit("#{dashboard.address}/?lang=en&since=6h")
    assert page.has_css?(".plot[aria-busy=true]", text: "The figures of this chart are being read.")
    gate.close
    assert page.has_css?(".plot canvas")
    assert page.has_no_css?(".plot[aria-busy]")
  ensure
    gate&.close
    dashboard&.stop
    recorded&.remove
  end

  def test_paper_has_the_figures_and_nothing_to_click
    chromium.size(PAPER)
    Looking::PATHS.each do |path|
      look(path, lang: "en", since: "6h")
      page.driver.browser.page.command("Emulation.setEmulatedMedia", media: "print")
      assert page.has_no_css?("nav a, .languages, .themes, .exports, .live, button", wait: 0), path
      assert page.has_css?("h1")
      assert_equal 0, chromium.overhang, path
    end
    look("/", lang: "en", since: "6h")
    assert_equal ["6h"], page.all(".spans li").map(&:text)
    assert_match(/\d{4}.*, \d\d:\d\d - /, page.find(".on-paper").text)
  end

  # Measured before a plot can draw itself anew: nothing tells it that it is printed.
  WIDER_THAN_PAPER = <<~JS
    (() => {
      document.body.style.width = "400px";
      const wider = [...document.querySelectorAll(".plot")].map((plot) =>
        plot.querySelector("canvas").getBoundingClientRect().width - plot.clientWidth);
      document.body.style.width = "";
      return Math.max(...wider);
    })()
  JS

  def test_paper_has_whole_charts_of_a_wide_screen
    chromium.size(1920)
    look("/", lang: "en", since: "6h")
    assert page.has_css?(".plot canvas")
    assert_operator page.evaluate_script(WIDER_THAN_PAPER), :>, 100
    page.driver.browser.page.command("Emulation.setEmulatedMedia", media: "print")
    assert_operator page.evaluate_script(WIDER_THAN_PAPER), :<=, 1
  end
end
