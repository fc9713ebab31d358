# frozen_string_literal: true

require_relative "chromium"
require_relative "recorded"
require_relative "served_dashboard"

# For tests that look at the dashboard: one browser, and one server over what was recorded, for all of them,
# because starting costs more than looking.
module Looking
  # Each page of the menu, and one endpoint.
  PATHS = %w[/ /requests /jobs /blame /fleet /processes /advice /compare /experiments /calculator /captures
    /jit /health /endpoint?unit=OrdersController%23index&kind=request].freeze
  WIDTHS = [2560, 1280, 360].freeze
  # In which axe looks, and how wide.
  THEMES = {"light" => 1280, "dark" => 360}.freeze

  class << self
    def chromium
      @chromium ||= Chromium.new.tap { |chromium| Minitest.after_run { chromium.quit } }
    end

    # @return [ServedDashboard]
    def recorded = @recorded ||= serve

    # @param later_s [Integer] seconds since the recording ended
    # @param more [Hash] for the dashboard
    # @return [ServedDashboard] until all tests have run
    def serve(later_s: 0, **more)
      Recorded.new.then do |recorded|
        now_s = recorded.now_s + later_s
        ServedDashboard.new(store: recorded.store, now_s:, dir: recorded.segments, **more).tap do |served|
          Minitest.after_run do
            served.stop
            recorded.remove
          end
        end
      end
    end
  end

  def chromium = Looking.chromium

  def page = chromium.session

  # @param path [String]
  # @param words [Hash] for the address
  def look(path, dashboard: Looking.recorded, **words)
    separator = path.include?("?") ? "&" : "?"
    chromium.visit("#{dashboard.address}#{path}#{separator}#{URI.encode_www_form(words)}")
  end

  # What no page may do, in a language and in themes, at each width; axe looks at one of them.
  # @param themes [Hash{String => Integer}] and the width at which axe looks
  def assert_fine(path, language, themes = THEMES, **where)
    chromium.theme(themes.keys.first)
    chromium.size(WIDTHS.first)
    look(path, lang: language, **where)
    assert page.has_css?("html[lang=#{language}] h1")
    themes.each { |theme, width| assert_readable(theme, width) }
    assert_empty chromium.faults
  end

  def assert_readable(theme, width)
    chromium.theme(theme)
    WIDTHS.each { |pixels| assert_fits(pixels) }
    chromium.size(width)
    assert_empty chromium.barriers, theme
  end

  def assert_fits(pixels)
    chromium.size(pixels)
    assert_equal 0, chromium.overhang, "wider than #{pixels} pixels"
  end
end
