# frozen_string_literal: true

require "test_helper"
require_relative "looking"

# A page speaks to a reader who clicks: no option of a command, but in a command to copy, and requests and
# jobs instead of units.
class PageWordsTest < Minitest::Test
  include Looking

  OPTION = /(?<![\w-])--[a-z][a-z-]*/
  # What a reader has to change in a server, in Ruby or in Docker.
  OTHERS = /--(?:yjit|zjit|shm-size|queues)/

  def setup
    chromium.theme("light")
    chromium.size(1280)
  end

  def test_no_page_names_an_option_of_a_command
    Looking::PATHS.product(%w[en ja]) do |path, language|
      assert_empty options(text_of(path, language)), "#{path} #{language}"
    end
  end

  def test_advice_names_none
    played = PlayedStore.new(PlayedRecording.new(minutes: 20, rate: 8.0))
    played.in_a_file do |store|
      dashboard = ServedDashboard.new(store:, now_s: played.to_s)
      %w[en ja].each do |language|
        look("/advice", dashboard:, lang: language)
        assert page.has_css?(".findings li")
        assert_empty options(text), language
      end
    ensure
      dashboard&.stop
    end
  end

  def test_settings_that_are_mixed_link_to_their_comparison
    look("/", lang: "en", since: "6h")
    page.first(".notes a", text: "the Compare page").click
    assert page.has_css?("h1", text: "Compare")
    assert page.has_css?(".spans [aria-current]", text: "6h")
  end

  def test_no_page_speaks_of_units
    Looking::PATHS.each do |path|
      assert_empty text_of(path, "en").scan(/\bunits?\b/i), path
    end
  end

  # Each page is loaded once for all tests.
  def text_of(path, language)
    self.class.texts[[path, language]] ||= begin
      look(path, lang: language)
      page.all("pre", wait: 0).map(&:text).reduce(text) { |said, command| said.sub(command, "") }
    end
  end

  def self.texts = @texts ||= {}

  def options(text) = text.scan(OPTION).grep_v(OTHERS)

  # Also what is behind a word that opens it.
  def text = page.evaluate_script("document.querySelector('main').textContent")
end
