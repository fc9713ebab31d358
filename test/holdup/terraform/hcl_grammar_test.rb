# frozen_string_literal: true

require "test_helper"

# The reader that generated files are checked with, itself.
class HclGrammarTest < Minitest::Test
  def read(text) = HclGrammar.parse(text)

  def value(text)
    read("a = #{text}\n").attributes.fetch("a")
  end

  def test_bodies_and_blocks
    body = read(<<~HCL)
      # a comment
      region = "eu" // another
      resource "aws_x" "y" {
        /* and one
           more */
        for_each = local.all

        inner {
          n = 1
        }
      }
    HCL
    block = body.all("resource", "aws_x").first
    assert_equal [{"region" => "eu"}, %w[aws_x y], {"n" => 1}],
      [body.attributes, block.labels, block.body.all("inner").first.body.attributes]
    assert_equal %w[local all], block.body.attributes["for_each"].path
  end

  def test_expressions
    {"1.5" => 1.5, "-3" => -3, "1e3" => 1000.0, "true" => true, "null" => nil,
     "[1, \"b\", [true],]" => [1, "b", [true]], "[]" => [], "{}" => {},
     "{ a = 1, \"b\" : 2 }" => {"a" => 1, "b" => 2},
     "{\n  a = 1 # one\n  b = [\n    2,\n    { c = 3 },\n  ]\n}" => {"a" => 1, "b" => [2, {"c" => 3}]},
     "(\n  1\n)" => 1}.each { |text, expected|
      expected.nil? ? assert_nil(value(text)) : assert_equal(
        expected, value(text), text
      )
    }
    call = value("jsonencode({\n  a = var.b\n})")
    assert_equal ["jsonencode", %w[var b]], [call.name, call.arguments.first["a"].path]
  end

  def test_texts
    assert_equal ["a\"b\\c\n", "${x} %{y} $5 100%", "é"],
      [value('"a\"b\\\\c\n"'), value('"$${x} %%{y} $5 100%"'), value('"\u00e9"')]
    assert_equal "{ $.units = * }", value('"{ $.${each.key} = * }"').fill("each.key" => "units")
    assert_equal "a-b", value('"a-${var.b}"').fill("var.b" => "b")
  end

  def test_what_is_refused
    ["a = ", "a = 1", "a = 1 b = 2\n", "a = 1\na = 2\n", "a = \"b\n", "a = \"\\q\"\n", "a = \"${b\"\n",
      "a = [1 2]\n", "a = {b = 1 c = 2}\n", "a = {b}\n",
      "a = {b = 1, b = 2}\n", "b {\n", "b \"${x}\" {\n}\n", "b { c = 1 }\n", "1a = 2\n", "a = 'b'\n",
      "a = <<EOT\nx\nEOT\n", "a = 1 + 2\n", "a = \"%{if x}\"\n",
      "a = x.\n", "a = f(1\n", "a = [for x in y : x]\n", "}\n", "a := 1\n", "\uFEFFa = 1\n",
      "a = \"\xFF\"\n"].each do |text|
      assert_raises(HclGrammar::InvalidHcl, text.inspect) { read(text) }
    end
  end

  def test_says_where
    error = assert_raises(HclGrammar::InvalidHcl) { read("a = 1\nb = [\n  1,\n  'x',\n]\n") }
    assert_match(/\Aline 4: no expression/, error.message)
  end
end
