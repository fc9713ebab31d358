# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::WidthTest < Minitest::Test
  Width = Holdup::View::Width

  def test_columns_of_a_text
    {"abc" => 3, "" => 0, "日本語" => 6, "ｱ" => 1, "Ａ" => 2, "한글" => 4, "é" => 1, "e\u0301" => 1,
     "a\u200bb" => 2, "🚀" => 2, "…" => 1}
      .each { |text, columns|
      assert_equal columns, Width.of(text), text.inspect
    }
  end

  def test_shortens_in_the_middle
    assert_equal "Admin::…r#show", Width.truncate("Admin::ReportsController#show", 14)
    assert_equal "short", Width.truncate("short", 5)
    assert_equal "…", Width.truncate("long", 1)
    assert_equal "", Width.truncate("long", 0)
  end

  def test_names_of_a_list_stay_different
    names = %w[Admin::Reports::OrdersController#show Admin::Reports::QuotesController#show Admin::Home#show]
    assert_equal ["…OrdersC…er#show", "…QuotesC…er#show", "Admin::Home#show"],
      Width.truncate_all(names, 16).values
    assert_equal({"ab" => "ab"}, Width.truncate_all(%w[ab ab], 5))
    assert_equal ["abcd…fgh1"] * 1, Width.truncate_all(["abcdeeeeefgh1"], 9).values
  end

  def test_is_never_wider_than_asked_for
    text = "注文の一覧Controller#表示する"
    (1..40).each { |columns| assert_operator Width.of(Width.truncate(text, columns)), :<=, columns }
  end

  def test_pads_by_columns
    assert_equal "日本  ", Width.left("日本", 6)
    assert_equal "  日本", Width.right("日本", 6)
    assert_equal "long", Width.left("long", 2)
  end

  def test_wraps_words_and_japanese
    assert_equal ["one two", "three"], Width.wrap("one two three", 8)
    assert_equal ["待ち時間", "です。"], Width.wrap("待ち時間です。", 8)
    assert_equal %w[aver ylon gwor d], Width.wrap("averylongword", 4)
  end

  def test_keeps_a_number_and_its_unit_together
    assert_equal ["took 256", "(90.1 %),", "then 12 ms"], Width.wrap("took 256 (90.1 %), then 12 ms", 11)
    assert_equal ["then", "12.5 ms"], Width.wrap("then 12.5 ms", 9)
    assert_equal ["待ちは", "12 ms で"], Width.wrap("待ちは12 ms で", 8)
    assert_equal ["リクエスト", "2,848 件"], Width.wrap("リクエスト 2,848 件", 16)
    assert_equal ["grade 5", "stages"], Width.wrap("grade 5 stages", 10)
  end

  def test_no_line_starts_with_a_full_stop
    (6..20).each do |columns|
      refute(Width.wrap("待ち時間です。次の文、続き。", columns).any? { |line| line.start_with?("。", "、") })
    end
  end

  def test_no_line_ends_with_an_opening_bracket_or_starts_with_a_small_kana
    text = "渡っていない、ウォームなサーバー（app/models/order.rb:7）でした［holdup report］。"
    (10..40).each do |columns|
      lines = Width.wrap(text, columns)
      assert_empty lines.grep(/[（［]\z|\A[っォー。）］]/), columns
      assert_equal text.delete(" "), lines.join.delete(" ")
    end
  end

  def test_hostile_names_are_made_harmless
    assert_equal "a?[31mb?c", Width.clean("a\e[31mb\nc")
    assert_equal "a?b", Width.clean("a\u202eb")
    assert_equal "a?b", Width.clean("a\xffb")
    assert_predicate Width.clean("\xff\x00".b), :valid_encoding?
    assert_equal 100_000, Width.clean("x" * 100_000).size
  end
end
