# frozen_string_literal: true

require "test_helper"
require_relative "looking"

# Every page as people see it: in both languages, light and dark, on a phone, a laptop and a wide screen. Colours depend on the
# theme and sentences on the language, so two of the four are enough, and axe looks at two widths.
class PagesTest < Minitest::Test
  include Looking

  SEEN = {"en" => ["light", 1280], "ja" => ["dark", 360]}.freeze

  SEEN.each do |language, (theme, width)|
    PATHS.each do |path|
      define_method(:"test_#{path[1..].tr("?", "_")[/\A\w*/]}_in_#{language}_#{theme}") { assert_fine(path, language, theme, width) }
    end
  end

  # A recording that there is something to advise for.
  def test_advice_with_settings_to_choose_from
    played = PlayedStore.new
    played.in_a_file do |store|
      dashboard = ServedDashboard.new(store:, now_s: played.to_s)
      assert_fine("/advice", "ja", "dark", 1280, dashboard:)
      assert page.has_css?("tbody th", text: "2×5", visible: :all)
      assert page.has_css?(".plot canvas")
    ensure
      dashboard&.stop
    end
  end
end
