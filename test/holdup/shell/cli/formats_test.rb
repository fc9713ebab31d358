# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::CLI::FormatsTest < Minitest::Test
  Formats = Holdup::CLI::Formats
  # A page of a sentence for each that is kept.
  Sentences = Data.define(:spare) do
    def page(kept)
      notes = Array.new(kept) { |index| "sentence #{index}" }
      Holdup::View::Page.new(title: "Title", blocks: [Holdup::View::Blocks::Notes.new(texts: notes)])
    end
  end

  def console
    Holdup::CLI::Console.new(out: StringIO.new, err: nil, env: {"COLUMNS" => "80"}, clock: nil)
  end

  def parse(*argv)
    Holdup::CLI::Options.new("holdup try", Formats.options(%i[text json markdown])).parse(argv, now_s: 0)
  end

  def test_a_format_is_chosen_by_name_or_by_its_own_option
    assert_equal :json, parse("--json").values.fetch(:format)
    assert_equal :markdown, parse("--format", "markdown").values.fetch(:format)
    assert_equal :json, parse("--format", "json", "--json").values.fetch(:format), "both say the same"
    assert_equal :text, parse.with_defaults.fetch(:format)
  end

  def test_two_formats_contradict_each_other
    error = assert_raises(Holdup::UsageError) { parse("--json", "--markdown") }
    assert_includes error.message, "--json and --markdown can't be combined"
    assert_raises(Holdup::UsageError) { parse("--format", "html") }
  end

  def test_a_page_in_each_format
    page = Sentences.new(spare: 1).page(1)
    texts = %i[text markdown html].to_h do |format|
      [format, Formats.render(page, format:, console:, words: Holdup::View::Words.new)]
    end
    assert_includes texts[:html], "<html"
    assert_match(/^# Title/, texts[:markdown])
    refute_match(/<html|^# /, texts[:text])
    texts.each_value { |text| assert_includes text, "sentence 0" }
  end

  def test_a_screen_leaves_out_no_more_sentences_than_it_must
    short = Formats.screen(Sentences.new(spare: 5), console:)
    assert_includes short, "sentence 4"
    long = Formats.screen(Sentences.new(spare: 200), console:)
    assert_includes (Formats::SCREEN_LINES - 4)..Formats::SCREEN_LINES, long.lines.size
    fuller = Formats.render(Sentences.new(spare: 0).page(long.scan("sentence").size + 1), format: :text,
      console:, words: nil)
    assert_operator fuller.lines.size, :>, Formats::SCREEN_LINES
  end
end
