# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::CLI::DocsTest < Minitest::Test
  include CommandLine

  ROOT = File.expand_path("../../../..", __dir__)

  def test_the_names_with_a_sentence_each
    said = holdup("docs")
    assert_equal 0, said.status
    assert_equal Holdup::CLI::GuidePages.all.keys, said.out.lines.map { |line| line[/\A\S+/] }
    assert_match(/^advise +`holdup advise` says whether you should change your setting/, said.out)
    narrow = holdup("docs", env: {"COLUMNS" => "80"}).out.lines(chomp: true)
    assert_operator narrow.map { |line| Holdup::View::Width.of(line) }.max, :<=, 80
  end

  def test_a_page_as_it_is_written
    assert_equal File.read("#{ROOT}/docs/guide/advise.md"), holdup("docs", "advise").out
    assert_equal File.read("#{ROOT}/docs/start.ja.md"), holdup("docs", "start", "--lang", "ja").out
    assert_equal File.read("#{ROOT}/docs/guide/advise.md"), holdup("--lang", "ja", "docs", "advise").out
  end

  def test_another_name_and_several
    said = holdup("docs", "sidekik")
    assert_equal 2, said.status
    assert_match(/no page of the guide is called "sidekik"; did you mean sidekiq\?/, said.err)
    assert_match(/called "zzz"; `holdup docs` lists them/, holdup("docs", "zzz").err)
    assert_match(/docs takes one name/, holdup("docs", "puma", "sidekiq").err)
    assert_match(/ガイドに "sidekik" というページはありません。/, holdup("docs", "sidekik", "--lang", "ja").err)
  end

  # What a message names is there, in whichever language.
  def test_every_page_that_a_message_names_is_there
    texts = Dir["#{ROOT}/lib/**/*.{rb,yml}"].map { |file| File.read(file) }
    names = texts.flat_map { |text| text.scan(/`holdup docs ([a-z-]+)`/) }.flatten.uniq
    assert_operator names.size, :>, 5
    assert_empty names - Holdup::CLI::GuidePages.all.keys
  end

  # In an installed gem there is no repository beside the messages.
  def test_no_message_names_a_file_of_the_repository
    texts = Dir["#{ROOT}/lib/**/*.{rb,yml}"].flat_map { |file| File.readlines(file).grep_v(/^\s*#/) }
    assert_empty texts.grep(%r{docs/[a-z-]+\.md}).grep_v(/expand_path/)
  end
end
