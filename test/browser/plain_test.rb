# frozen_string_literal: true

require "test_helper"
require_relative "looking"

# Without scripts all figures are there, and what only a script can do does not show.
class PlainTest < Minitest::Test
  include Looking

  # Without data nothing is in the table.
  EMPTY = %w[/captures /experiments].freeze

  def setup
    chromium.theme("light")
    chromium.size(1280)
    chromium.scripts(false)
  end

  def teardown = chromium.scripts(true)

  Looking::PATHS.each do |path|
    define_method(:"test_#{path[/\w+/] || "overview"}") do
      look(path)
      assert page.has_css?("h1")
      assert_equal !EMPTY.include?(path), page.has_css?("tbody tr", wait: 0)
      assert page.has_no_css?("canvas, .live", wait: 0)
      assert_empty chromium.faults
    end
  end

  def test_forms_and_titles_of_tables_are_links_of_their_own
    look("/calculator", lang: "en")
    page.fill_in("io", with: "80%")
    page.click_button("Calculate")
    assert page.has_css?("h2", text: "80.0 % io")
    look("/requests", lang: "en")
    page.click_link("count", exact: true)
    assert page.has_css?("th[aria-sort=descending]", text: "count")
  end
end
