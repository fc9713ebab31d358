# frozen_string_literal: true

require "test_helper"
require "time"
require_relative "four_endpoints"
require_relative "looking"

# The overview's picture of two charts, with a deploy in its middle: where its mark leads to, and what the
# charts show under the mouse.
class DeployMarkTest < Minitest::Test
  include Looking

  REVISIONS = %w[1f0c9d2 8a7be41].freeze
  # Where the mouse finds the first chart, which has to be in view, and where its axis begins and ends.
  CHART = <<~JS
    (async (done) => {
      const over = document.querySelector(".stacked .plot[data-moment] .u-over");
      over.scrollIntoView({ block: "center" });
      const answer = await fetch(`series/overview${location.search}`);
      const { values } = (await answer.json()).waiting.x;
      const { left, width, top, height } = over.getBoundingClientRect();
      done({ left, width, top, height, first: values[0], last: values.at(-1) });
    })(arguments[0])
  JS
  # What one reads at each of the charts of a moment: the moment first, then the value of each series.
  READ = <<~JS
    [...document.querySelectorAll(".stacked .plot[data-moment]:has(canvas)")].map((plot) =>
      [...plot.querySelectorAll(".where, .keys b")].map((text) => text.checkVisibility() && text.textContent),
    )
  JS
  # Pixels from the upper edge of a chart to the flag of a mark.
  FLAG = -7

  class << self
    # @return [ServedDashboard] until all tests have run
    def dashboard
      @dashboard ||= begin
        sample = FourEndpoints.new(revisions: REVISIONS)
        folder = Dir.mktmpdir("holdup")
        store = File.join(folder, "deployed.sqlite3")
        sample.in_a_file { |made| FileUtils.cp(made, store) }
        ServedDashboard.new(store:, now_s: sample.to_s).tap do |served|
          Minitest.after_run do
            served.stop
            FileUtils.rm_rf(folder)
          end
        end
      end
    end
  end

  def setup
    chromium.theme("light")
    chromium.size(1280)
    look("/", dashboard: self.class.dashboard, lang: "en", since: "1h")
    assert page.has_css?(".stacked canvas", count: 2)
  end

  def chart = page.evaluate_async_script(CHART)

  def mouse = page.driver.browser.mouse

  # @param at_s [Integer] of the axis
  # @param y [Integer] pixels from the upper edge of the chart
  def place(box, at_s, y: box["height"] / 2)
    share = (at_s - box["first"]).fdiv(box["last"] - box["first"])
    {x: box["left"] + box["width"] * share, y: box["top"] + y}
  end

  def deployed_s = FourEndpoints.new.deployed_s

  def assert_compares(name)
    assert page.has_current_path?(/compare/), name
    asked = URI.decode_www_form(URI(page.current_url).query.to_s).to_h
    moments = asked.slice("base_until", "since").transform_values { |moment| Time.iso8601(moment).to_i }
    assert_equal({"base_until" => deployed_s, "since" => deployed_s}, moments, name)
    assert page.has_css?("h1", text: "Compare"), name
    assert page.has_text?(REVISIONS.last), name
  end

  def test_the_line_of_a_deploy_leads_to_the_comparison_around_it
    mouse.click(**place(chart, deployed_s))
    assert_compares("line")
    page.go_back
    assert page.has_css?("h1", text: "Overview")
  end

  def test_keys_lead_to_it_and_say_what_it_is
    plot = page.first(".stacked .plot[data-moment]")
    plot.execute_script("this.focus()")
    plot.send_keys("m")
    assert_includes plot.find("p[aria-live]", visible: :all).text(:all), REVISIONS.last
    plot.send_keys(:enter)
    assert_compares("keys")
  end

  # The label is on the side that has more room.
  def test_its_flag_and_its_label_do_too
    [0, 30].each do |away|
      flag = place(chart, deployed_s, y: FLAG)
      mouse.click(x: flag[:x] - away, y: flag[:y])
      assert_compares("#{away} pixels left of the line")
      page.go_back
      assert page.has_css?(".stacked canvas", count: 2)
    end
  end

  def test_the_mouse_shows_every_series_of_all_charts_at_its_moment
    page.click_button("Pause")
    box = chart
    read = [-5, 5].map do |minutes|
      at_s = deployed_s + minutes * 60
      mouse.move(**place(box, at_s))
      assert page.has_css?(".stacked .plot.asked", count: 2)
      page.evaluate_script(READ)
    end
    read.each do |charts|
      assert_equal 2, charts.size
      assert_equal 1, charts.map { |texts| texts.last[/\d+:\d+/] }.uniq.size, charts.inspect
      assert_empty charts.flatten.reject { |text| text.is_a?(String) && text.match?(/\S/) }, charts.inspect
    end
    refute_equal read.first, read.last
    assert_empty chromium.barriers
  end
end
