# frozen_string_literal: true

require "test_helper"
require "time"
require_relative "looking"

# From page to page as a user goes: with the mouse, by keyboard, and back.
class JourneysTest < Minitest::Test
  include Looking

  def setup
    chromium.theme("light")
    chromium.size(1280)
  end

  def test_links_keep_the_filters_and_back_works
    look("/", lang: "en", since: "6h")
    page.within("header nav") { page.click_link("Requests") }
    page.click_link("OrdersController#index")
    assert page.has_css?("h1", text: "OrdersController#index")
    page.click_link("日本語")
    assert page.has_css?("html[lang=ja] .spans [aria-current]", text: "6時間")
    page.go_back
    page.go_back
    assert page.has_css?("h1", text: "Requests")
    assert_empty chromium.faults
  end

  def test_a_link_that_is_sent_shows_the_same_span_later
    look("/requests", lang: "en", since: "6h", name: "Orders*")
    page.click_link("Link to this span, to send")
    assert page.has_no_link?("Link to this span, to send")
    sent = URI.decode_www_form(URI(page.current_url).query).to_h
    since, till = sent.values_at("since", "until").map { |moment| Time.iso8601(moment) }
    assert_equal 6 * 3600, till - since
    assert_equal "Orders*", sent["name"]
    assert page.has_link?("OrdersController#index")
  end

  def test_the_keyboard_can_pass_the_menu
    look("/", lang: "en")
    page.send_keys(:tab)
    assert_equal "Skip to the figures", page.active_element.text
    page.send_keys(:enter)
    assert page.has_current_path?(/#main\z/, url: true)
  end

  def test_colours_that_are_chosen_stay
    look("/", lang: "en")
    light = background
    choose("Dark")
    refute_equal light, background
    page.within("header nav") { page.click_link("Capacity") }
    page.within(".tabs") { page.click_link("JIT") }
    assert page.has_css?("h1", text: "JIT")
    refute_equal light, background
    chromium.theme("dark")
    choose("Light")
    assert_equal light, background
    assert_empty chromium.barriers
  end

  def choose(theme)
    page.click_link(theme)
    assert page.has_css?(".themes [aria-current]", text: theme)
  end

  def background
    page.evaluate_script("getComputedStyle(document.body).backgroundColor")
  end

  def test_what_refreshes_itself_can_be_paused
    look("/", lang: "en")
    page.click_button("Pause")
    assert page.has_button?("Resume")
  end

  # Names wrap between their parts: in the clipboard they are whole.
  def test_names_are_copied_as_they_are
    look("/requests")
    select_first = "getSelection().selectAllChildren(document.querySelector('tbody th a'))"
    assert_equal "OrdersController#index",
      page.evaluate_script("#{select_first} || getSelection().toString()")
  end
end
