# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::HtmlTest < Minitest::Test
  Blocks = Holdup::View::Blocks
  Html = Holdup::View::Html
  HOSTILE = "<script>alert(1)</script>"

  def words = @words ||= Holdup::View::Words.new

  def section(title, cell = "A#b")
    Holdup::View::Section.new(title:, columns: ["name"], rows: [[cell]])
  end

  def part(id, *blocks, **options) = Html::Part.new(id:, title: id.capitalize, blocks:, **options)

  def html(*parts, title: "Report") = Html.new(parts, title:, words:, about: ["of today"]).call

  def test_one_page_is_a_whole_file
    page = Holdup::View::Page.new(title: "Report", blocks: [section("Times")], about: ["of today"])
    file = Html.of(page, words:)
    assert_match(/\A<!DOCTYPE html>/i, file.call)
    assert_includes file.call, "of today"
    assert_includes file.call, "Times"
  end

  # A file is opened from a disk and mailed: it asks no server for anything.
  def test_a_file_loads_and_runs_nothing
    file = html(part("times", section("Times")))
    policy = file[/http-equiv="Content-Security-Policy" content="([^"]*)"/, 1]
    assert_includes policy, "default-src"
    refute_match(/<script|<link [^>]*stylesheet|src=/, file)
  end

  # The policy names the hash of the style that is in the file.
  def test_the_style_is_the_one_that_the_policy_allows
    file = html(part("times", section("Times")))
    style = file[%r{<style>(.*?)</style>}m, 1]
    hash = Digest::SHA256.base64digest(style)
    assert_includes CGI.unescapeHTML(file[/http-equiv="Content-Security-Policy" content="([^"]*)"/, 1]), hash
  end

  def test_names_are_text
    file = html(part("times", section(HOSTILE, HOSTILE)), title: HOSTILE)
    refute_includes file, HOSTILE
    assert_includes file, "&lt;script&gt;"
  end

  # A name is shortened in its middle; two sentences would become another one.
  def test_a_column_of_words_has_whole_sentences
    why = "#{"It waited for the GVL. " * 12}#{HOSTILE}"
    columns = ["name", Blocks::Column.new(text: "why", words: true)]
    file = html(part("slow", Holdup::View::Section.new(title: "Slow", columns:, rows: [["A#b", why]])))

    assert_includes file, CGI.escapeHTML(why)
  end

  def test_links_lead_to_the_parts_of_the_file
    here = Blocks::Link.new(text: "here", page: "blame")
    elsewhere = Blocks::Link.new(text: "elsewhere", page: "health")
    times = part("times", section("Times", here), section("More", elsewhere))
    file = html(times, part("blame", section("Who")))
    assert_match(/<a href="#blame">\s*here/, file)
    refute_match(/href="[^#"][^"]*">\s*elsewhere/, file)
    assert_includes file, "elsewhere"
  end
end
