# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::CsvTest < Minitest::Test
  def test_figures_stay_and_formulas_do_not
    fields = {
      "-12.3 %" => "-12.3 %",
      "+5" => "+5",
      "-" => "-",
      "-1.5 ms" => "-1.5 ms",
      "-24.2..+3.8 %" => "-24.2..+3.8 %",
      -3 => "-3",
      0.5 => "0.5",
      nil => "",
      "=1+1" => "'=1+1",
      "+1+cmd|x" => "'+1+cmd|x",
      "-2+3" => "'-2+3",
      "@SUM(A1)" => "'@SUM(A1)",
      "a,b" => %("a,b"),
      "say \"x\"" => %("say ""x"""),
      "a\r\nb" => "a??b"
    }
    fields.each do |field, written|
      assert_equal "#{written}\r\n", Holdup::View::Csv.call([[field]]), field.inspect
    end
  end

  def test_what_is_not_known_is_empty
    section = Holdup::View::Section.new(title: "One", columns: %w[name queued], rows: [%w[a -], %w[- 2]],
      total: %w[all -])
    page = Holdup::View::Page.new(title: "", blocks: [section])
    assert_equal "One\r\nname,queued\r\na,\r\n,2\r\nall,\r\n", Holdup::View::Csv.of(page)
  end

  def test_tables_and_lists_one_after_the_other
    sections = [
      Holdup::View::Section.new(title: "One", columns: %w[a b], rows: [%w[1 2]], total: %w[3 4]),
      Holdup::View::Section.new(title: "Words", columns: [], rows: [], notes: ["x", "=y"]),
      Holdup::View::Section.new(title: "Two", columns: %w[c], rows: [%w[5]])
    ]
    page = Holdup::View::Page.new(title: "", blocks: sections)
    expected = "One\r\na,b\r\n1,2\r\n3,4\r\n\r\nWords\r\nx\r\n'=y\r\n\r\nTwo\r\nc\r\n5\r\n"
    assert_equal expected, Holdup::View::Csv.of(page)
  end
end
