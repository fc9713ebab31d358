# frozen_string_literal: true

require "test_helper"
require "forwardable"
require "holdup/loader"

class Holdup::View::Html::Helpers::MarkupTest < Minitest::Test
  extend Forwardable

  # Minitest calls a `time` of its own, so it is not mixed into the test.
  class Markup
    include Holdup::View::Html::Helpers::Markup

    def initialize(language = "en")
      @words = Holdup::View::Words.new(language)
    end
  end

  def_delegators :@markup, :sentence, :breaking, :cut

  TAG = %r{</?code>|<wbr>|<time datetime="[\dTZ:-]+"(?: data-seconds)?>|</time>}
  # Pieces from which names of requests and sentences are made, hostile ones too.
  PIECES = ["<script>", "\"", "'", "&amp;", "&", ">", "Admin::ReportsController#index", "/orders/:id",
    "2026-11-21 12:00 +09:00", "2026-11-21 12:00 - 2026-11-21 13:00 UTC", "2026-13-45 99:00 UTC", " 12 ms ",
    "5 %", "日本語 3 件", "averyveryverylongwordwithoutanyspace", " ", ".", "x"].freeze

  def setup
    @markup = Markup.new
  end

  # What a reader sees of it.
  def seen(html)
    assert_empty html.gsub(TAG, "").scan(/[<>"']/), html
    CGI.unescapeHTML(html.gsub(TAG, "")).tr("\u00A0", " ")
  end

  def test_a_sentence_reads_as_it_was_written_and_has_no_markup_of_its_own
    random = Random.new(5)
    300.times do
      text = Array.new(random.rand(1..8)) { PIECES.sample(random:) }.join
      assert_equal text, seen(sentence(text))
    end
  end

  def test_a_name_reads_as_it_was_written_and_has_no_markup_of_its_own
    random = Random.new(6)
    300.times do
      text = Array.new(random.rand(1..5)) { PIECES.sample(random:) }.join
      assert_equal cut(text), seen(breaking(text))
    end
  end

  def test_a_span_has_the_form_of_the_language
    span = "2026-11-21 12:00 - 2026-11-21 13:00 UTC"
    assert_equal "2026-11-21 12:00 〜 2026-11-21 13:00 UTC", seen(Markup.new("ja").sentence(span))
    assert_equal 2, Markup.new("ja").sentence(span.sub(" - ", " 〜 ")).scan("<time").size
  end

  def test_a_name_breaks_between_its_parts
    assert_equal "Admin<wbr>::ReportsController<wbr>#index", breaking("Admin::ReportsController#index")
    assert_equal "GET /<wbr>orders/<wbr>:id", breaking("GET /orders/:id")
  end

  # Such as a phone can't show in one line of a table.
  def test_a_long_part_breaks_between_its_words
    assert_equal "Admin<wbr>::Monthly<wbr>Reports<wbr>Controller<wbr>#index",
      breaking("Admin::MonthlyReportsController#index")
    assert_equal "Products<wbr>Controller<wbr>#download_<wbr>invoice_<wbr>pdf",
      breaking("ProductsController#download_invoice_pdf")
    assert_equal "Orders<wbr>Controller<wbr>Floor -&gt; X", breaking("OrdersControllerFloor -> X")
  end

  def test_short_and_upper_case_parts_stay_whole
    assert_equal "HTMLController", breaking("HTMLController")
    assert_equal "AbCd", breaking("AbCd")
    assert_equal "", breaking("")
  end

  def test_cuts_a_name_at_its_width
    longest = Holdup::View::Html::Helpers::Markup::NAME
    assert_equal "x" * longest, cut("x" * longest)
    assert_equal longest, cut("x" * (longest + 1)).size
    assert_includes cut("x" * (longest + 1)), "…"
    assert_operator cut("あ" * longest).size, :<=, longest / 2 + 1, "a wide character takes two columns"
  end

  def test_code_is_marked_and_may_break
    assert_equal "run <code>holdup doctor</code> now", sentence("run `holdup doctor` now")
    assert_equal "<code>a</code> and <code>b</code>", sentence("`a` and `b`")
    assert_equal "<code>&lt;b&gt;</code>", sentence("`<b>`")
    assert_equal "<code>Orders<wbr>#index</code>", sentence("`Orders#index`")
  end

  def test_a_lone_backquote_is_text
    assert_equal "it`s", sentence("it`s")
    assert_equal "``", sentence("``")
  end

  # A number in code is an option's value: it must be copied as it is.
  def test_code_keeps_its_spaces_and_moments
    assert_equal "<code>50 ms</code>", sentence("`50 ms`")
    refute_includes sentence("`2026-11-21 12:00 UTC`"), "<time"
  end

  def test_a_moment_says_when_it_was_in_utc
    assert_equal %(since <time datetime="2026-11-21T03:00:00Z">2026-11-21 12:00 +09:00</time>.),
      sentence("since 2026-11-21 12:00 +09:00.")
  end

  def test_a_moment_with_seconds_is_shown_with_them
    assert_includes sentence("2026-11-21 12:00:07 UTC"),
      %(<time datetime="2026-11-21T12:00:07Z" data-seconds>)
    refute_includes sentence("2026-11-21 12:00 UTC"), "data-seconds"
  end

  def test_a_span_has_two_moments_in_one_zone
    assert_equal %(<time datetime="2026-11-21T10:30:00Z">2026-11-21 12:00</time> - ) +
      %(<time datetime="2026-11-21T11:30:00Z">2026-11-21 13:00 +01:30</time>),
      sentence("2026-11-21 12:00 - 2026-11-21 13:00 +01:30")
  end

  def test_what_is_no_moment_stays_text
    ["2026-13-01 00:00 UTC", "2026-11-21 12:00", "2026-11-21 UTC", "12:00 UTC"].each do |text|
      assert_equal text, sentence(text)
    end
  end

  def test_a_number_and_its_unit_stay_on_one_line
    {"12 ms" => true, "5 %" => true, "3 s." => true, "7 GB of" => true, "9 件" => true, "1 min," => true,
     "12 minutes" => false, "5 servers" => false, "3 sides" => false, "a s" => false, "2 days" => false}
      .each { |text, kept| assert_equal kept, sentence(text).include?("\u00A0"), text }
  end

  def test_only_long_words_of_a_sentence_may_break
    assert_equal "see OrdersController now", sentence("see OrdersController now"), "16 characters"
    assert_equal "see Admin::OrdersController#index now", sentence("see Admin::OrdersController#index now")
    assert_equal "see Admin<wbr>::Archived<wbr>Orders<wbr>Controller<wbr>#index now",
      sentence("see Admin::ArchivedOrdersController#index now"), "wider than a phone"
  end
end
