# frozen_string_literal: true

require "test_helper"
require "time"
require_relative "looking"

# What scripts add to pages: charts, the viewer's time, sliders.
class ChartsTest < Minitest::Test
  include Looking

  CHARTED = %w[/ /processes /jit /endpoint?unit=OrdersController%23index&kind=request].freeze
  SLIDE = "const slider = document.querySelector('input[type=range]'); slider.value = 160; " \
    "slider.dispatchEvent(new Event('input'))"

  def setup
    chromium.theme("light")
    chromium.size(1280)
  end

  CHARTED.each do |path|
    define_method(:"test_every_chart_is_drawn_on_#{path[/\w+/] || "overview"}") do
      look(path, lang: "en")
      page.all(".fold:not([open]) > summary", wait: 0).each(&:click)
      places = page.all("figure.chart").size
      assert_operator places, :>, 0
      assert page.has_css?("figure.chart canvas", count: places)
      assert_empty chromium.faults
    end
  end

  def test_a_heat_map_has_a_scale_and_no_colour_of_a_state
    look("/endpoint?unit=OrdersController%23index&kind=request", lang: "en")
    page.all(".fold:not([open]) > summary", wait: 0).each(&:click)
    scale = page.first(".keys li", text: /\Arequests and jobs in a cell:\s+1\s/)
    opacities = scale.all("rect.cell").map { |cell| cell["fill-opacity"].to_f }
    assert_equal opacities.sort, opacities
    assert_equal 1.0, opacities.last
    counts = scale.text.scan(/[\d,]+/).map { |text| text.delete(",").to_i }
    assert_equal opacities.size, counts.size
    ink, cell = %w[body rect.cell].zip(%w[color fill]).map do |css, what|
      page.evaluate_script("getComputedStyle(document.querySelector('#{css}')).#{what}")
    end
    assert_equal ink, cell
  end

  # The last minute was measured in part, so it has no figures.
  def test_each_key_moves_the_cursor_and_tells_what_is_there
    look("/", lang: "en", since: "10m")
    page.click_button("Pause")
    plot = page.first(".plot:has(canvas)")
    legends = %i[home right right left end left].map { |key| legend_at(plot, key) }
    assert_equal legends[1], legends[3]
    assert_equal 5, legends.uniq.size
    assert_match(/Reports#sales [\d.]+, Orders#index/, legends.last)
  end

  # Also by the mouse, which moves the same cursor.
  def test_a_change_of_settings_is_shown_at_its_moment
    look("/", lang: "en", since: "15m")
    page.click_button("Pause")
    plot = page.first(".plot:has(canvas)")
    legends = [:home, *[:right] * 60].map { |key| legend_at(plot, key) }
    assert_equal 1, legends.uniq.grep(/deployed: revision 5e1c7d0 -> b27f94a/).size
  end

  def test_settings_have_the_same_sign_on_charts_and_in_the_table
    played = PlayedStore.new(PlayedRecording.new(minutes: 20, rate: 8.0))
    played.in_a_file do |store|
      dashboard = ServedDashboard.new(store:, now_s: played.to_s)
      look("/advice", dashboard:, lang: "en")
      plot = page.first(".plot:has(canvas)")
      legends = [:home, *[:right] * 12].map { |key| legend_at(plot, key) }.join
      ["* now", "<- advised"].each do |sign|
        assert_includes legends, sign
        assert page.has_css?("figcaption", text: sign)
        assert page.has_css?("tbody th", text: /\d x \d #{Regexp.escape(sign[/\S+/])}/)
      end
    ensure
      dashboard&.stop
    end
  end

  # A driver clicks on what has no focus before it types, and a click on a point leads away.
  def legend_at(plot, key)
    plot.execute_script("this.focus()")
    plot.send_keys(key)
    plot.find("[aria-live]", visible: :all).text(:all)
  end

  # In tables, and in the sentence under the table of single units.
  def test_moments_are_the_viewers
    ["td time, th time", ".note time"].each do |place|
      moments = %w[UTC Asia/Tokyo].map { |zone| moment(place, zone) }
      assert_equal 1, moments.map(&:first).uniq.size
      assert_equal [0, 9 * 3600],
        moments.map { |exact, text| (Time.parse("#{text} UTC") - Time.parse(exact)).to_i }, place
    end
  ensure
    page.driver.browser.page.command("Emulation.setTimezoneOverride", timezoneId: "")
  end

  def moment(place, zone)
    page.driver.browser.page.command("Emulation.setTimezoneOverride", timezoneId: zone)
    look("/endpoint?unit=OrdersController%23index&kind=request", lang: "en")
    page.first(place, visible: :all).then { |time| [time[:datetime], time.text(:all)] }
  end

  def test_sliders_ask_while_they_are_moved
    look("/calculator", lang: "en")
    page.execute_script("window.drawn = document.querySelector('canvas')")
    page.execute_script(SLIDE)
    assert page.has_css?("h2", text: "79.0 % io")
    assert page.has_current_path?(/\?.*io=79%25/)
    assert page.evaluate_script("drawn.isConnected")
  end
end
