# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::CLI::GuidePagesTest < Minitest::Test
  Pages = Holdup::CLI::GuidePages

  def about(text) = Pages::Beginning.new(text).sentence

  def test_every_page_begins_with_a_sentence
    pages = Pages.all
    assert_operator pages.size, :>, 50
    pages.each_value do |page|
      assert_match(/\A[^\s#|<].{10,}\z/, page.about("en"), page.name)
    end
  end

  def test_the_first_sentence_has_no_marks
    text = "# Title\n\n[日本語](a.ja.md)\n\n```ruby\ncode. More\n```\n\n" \
      "Read **all** of the\n[first page](x.md). And that.\n"
    assert_equal "Read all of the first page.", about(text)
    assert_equal "Add this.", about("# Title\n\nAdd this:\n\n```\ncode\n```\n")
    assert_equal "Yes. It is safe with fork.", about("# Safe?\n\nYes. It is safe with fork. Tests fork.\n")
    assert_equal "Runs on Ruby 3.4 and later.", about("# Title\n\nRuns on Ruby 3.4 and later. More.\n")
    japanese = "リクエストが GVL をどれだけ待ったかを示します。"
    assert_equal japanese, about("# 題\n\n#{japanese}次の文です。\n")
  end

  def test_a_page_without_a_sentence_has_its_title
    assert_equal "Which command do I need?", about("# Which command do I need?\n\n| a |\n")
  end

  def test_a_translation_belongs_to_its_page
    Dir.mktmpdir do |folder|
      {"README.md" => "list", "a.md" => "English.", "a.ja.md" => "日本語。", "b.md" => "Only English."}
        .each { |name, text| File.write("#{folder}/#{name}", text) }
      pages = Pages.all(folder)
      assert_equal %w[a b], pages.keys
      assert_equal "日本語。", pages.fetch("a").text("ja")
      assert_equal "Only English.", pages.fetch("b").text("ja")
    end
  end

  def test_a_page_of_the_reference_has_its_own_name_if_the_guide_has_none_of_it
    Dir.mktmpdir do |folder|
      Dir.mkdir("#{folder}/reference")
      %w[json reference/json reference/settings].each { |name| File.write("#{folder}/#{name}.md", name) }
      assert_equal %w[json reference/json settings], Pages.all(folder).keys
      found = {"json" => "json", "docs/reference/json.md" => "reference/json",
               "settings" => "reference/settings", "docs/reference/settings.md" => "reference/settings"}
      found.each { |given, text| assert_equal text, Pages.fetch(given, folder).text("en") }
    end
  end

  def test_a_generated_page_is_shown_without_the_note_who_wrote_it
    assert_match(/\A# Settings\n/, Pages.fetch("settings").text("en"))
  end

  def test_a_page_is_found_by_its_name_or_as_a_link_names_it
    %w[how-many-threads how-many-threads.md docs/stories/how-many-threads.md].each do |given|
      assert_equal "how-many-threads", Pages.fetch(given).name
    end
    ["", "/", "../../etc/passwd"].each do |given|
      assert_raises(Holdup::UsageError) { Pages.fetch(given) }
    end
  end
end
