# frozen_string_literal: true

require "test_helper"
require "time"
require_relative "looking"

# From a point of a chart to its minute, to one request, and back; and a part of a chart as the page's span.
class ClickPathTest < Minitest::Test
  include Looking

  # Where the mouse finds a chart, which has to be in view.
  PLACE = <<~JS
    (() => {
      const over = document.querySelector(".plot[data-moment] .u-over");
      over.scrollIntoView({ block: "center" });
      return over.getBoundingClientRect().toJSON();
    })()
  JS
  # Shares of a chart's width: of a point that has requests, and of the part that is chosen.
  POINT = 0.8
  PART = [0.3, 0.7].freeze

  def setup
    chromium.theme("light")
    chromium.size(1280)
    look("/", lang: "en", since: "10m")
    assert page.has_css?(".stacked canvas", minimum: 1)
  end

  def chart = page.evaluate_script(PLACE)

  def mouse = page.driver.browser.mouse

  # @param share [Float] of the chart's width
  def place(box, share)
    {x: box["left"] + box["width"] * share, y: box["top"] + box["height"] / 2}
  end

  def asked = URI.decode_www_form(URI(page.current_url).query.to_s).to_h

  def test_a_point_leads_to_its_minute_to_a_request_and_back
    mouse.click(**place(chart, POINT))
    assert page.has_css?("h1", text: "Slowest first")
    since, till = asked.values_at("since", "until").map { |moment| Time.iso8601(moment) }
    assert_equal 60, till - since
    assert_empty chromium.barriers
    page.first("tbody td a").click
    assert page.has_css?(".lead", text: /\ATook /)
    assert page.has_css?(".unit-bars svg.bar")
    assert page.has_css?("pre", text: /\Aholdup capture --until/)
    assert_empty chromium.barriers
    page.click_link("All of its minute, slowest first")
    assert page.has_css?("h1", text: "Slowest first")
    3.times { page.go_back }
    assert page.has_css?("h1", text: "Overview")
    assert_equal "10m", asked["since"]
  end

  def test_a_part_of_a_chart_becomes_the_span_and_back_goes_back
    box = chart
    from, to = PART.map { |share| place(box, share) }
    mouse.move(**from).down.move(**to, steps: 5).up
    assert page.has_css?(".more .chosen", text: /20\d\d-.* - 20\d\d-/)
    since, till = asked.values_at("since", "until").map { |moment| Time.iso8601(moment) }
    assert_operator till - since, :>=, 60
    assert_operator till - since, :<, 600
    assert page.has_css?(".stacked canvas", minimum: 1)
    page.go_back
    assert page.has_css?(".more .chosen", text: "10m")
  end

  # The same by keys: twelve points of ten seconds, or of a minute.
  def test_a_part_is_chosen_by_keys_too_and_its_address_shows_the_same_elsewhere
    plot = page.first(".plot[data-moment]:has(canvas)")
    plot.execute_script("this.focus()")
    plot.send_keys(:end, :left, *Array.new(12) { %i[shift left] }, :enter)
    assert page.has_css?(".more .chosen", text: /20\d\d-.* - 20\d\d-/)
    since, till = asked.values_at("since", "until").map { |moment| Time.iso8601(moment) }
    assert_includes 120..540, till - since
    assert page.has_css?(".stacked canvas", minimum: 1)
    shown = [".lead", ".more .chosen", "h1"].map { |part| page.first(part).text }
    address = page.current_url
    page.driver.reset! # another browser: no history, no cookies
    page.visit(address)
    assert_equal shown, [".lead", ".more .chosen", "h1"].map { |part| page.first(part).text }
  end

  # The same by keys, and without a script from the table beside a chart.
  def test_a_point_leads_to_its_minute_by_keys_and_from_the_table
    plot = page.first(".plot[data-moment]:has(canvas)")
    plot.execute_script("this.focus()") # else the driver clicks on it first
    plot.send_keys(:home, :right, :enter)
    assert page.has_css?("h1", text: "Slowest first")
    page.go_back
    assert page.has_css?(".stacked canvas", minimum: 1) # what is below them has its place then
    page.first("details.twin > summary").click
    page.first("details.twin tbody th a").click
    assert page.has_css?("h1", text: "Slowest first")
  end
end
