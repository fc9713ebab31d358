# frozen_string_literal: true

require "test_helper"
require_relative "looking"

# A page that takes seconds, by a computation that goes on until the test lets it end.
class WaitingTest < Minitest::Test
  include Looking

  SHORT_S = 0.01

  def setup
    chromium.theme("light")
    chromium.size(1024, 600)
    @gate = Queue.new
    @recorded = Recorded.new
    opening = -> { @gate.pop if Thread.current.name == "holdup-page" }
    @dashboard = ServedDashboard.new(store: @recorded.store, now_s: @recorded.now_s, patience_s: SHORT_S,
      opening:)
  end

  def teardown
    chromium.scripts(true)
    @gate.close
    @dashboard.stop
    @recorded.remove
  end

  def test_the_page_becomes_complete_by_itself
    look("/compare", dashboard: @dashboard, lang: "en")
    assert page.has_css?("h1", text: "Compare")
    assert page.has_css?("[data-wait] progress")
    assert page.has_css?("nav [aria-current]", text: "Compare")
    page.execute_script("window.same = true")
    @gate << true
    assert page.has_css?("h2", text: "What differs in the settings")
    assert page.has_css?(".plot canvas")
    assert page.evaluate_script("window.same"), "it was not loaded anew"
    assert page.has_css?("[role=status]", text: "The page is complete.", visible: :all)
    assert_empty chromium.barriers
  end

  def test_it_does_so_without_scripts
    chromium.scripts(false)
    look("/compare", dashboard: @dashboard, lang: "ja")
    assert page.has_css?("p", text: "2 つを比較しています。")
    @gate << true
    assert page.has_css?("h2", text: "設定の違い")
  end

  def test_the_page_can_be_used_while_it_waits
    look("/advice", dashboard: @dashboard, lang: "en")
    assert page.has_css?("[data-wait]")
    assert_empty chromium.barriers
    assert_equal 0, chromium.overhang
    page.within("header nav") { page.click_link("Requests") }
    assert page.has_css?("h1", text: "Requests")
  end
end
