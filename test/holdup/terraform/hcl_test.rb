# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Terraform::HclTest < Minitest::Test
  Hcl = Holdup::Terraform::Hcl

  def test_what_is_written_is_read
    ["plain", "a\"b\\c\n\t\r", "${var.x} %{if} $${y} $5", "$", "%", "ü€", ""].each do |text|
      assert_equal text, HclGrammar.parse("a = #{Hcl.value(text)}\n").attributes["a"], text
    end
    value = {"a" => [1, 2.5, true, nil, "x" * 90], "b" => {}, "c" => [], "d" => [{"e" => "f"}]}
    assert_equal value, HclGrammar.parse("a = #{Hcl.value(value)}\n").attributes["a"]
  end

  def test_random_texts_stay_texts
    random = Random.new(5)
    500.times do
      text = Array.new(random.rand(12)) { ["$", "%", "{", "}", "\"", "\\", "\n", "a"].sample(random:) }.join
      assert_equal text, HclGrammar.parse("a = #{Hcl.quote(text)}\n").attributes["a"], text.inspect
    end
  end

  def test_aligns_the_equals_signs_of_neighbours
    block = Hcl::Block.new("x", ["y z"], {a: 1, long_name: Hcl::Code.new("var.b"), list: [{c: 1}], d: 2},
      [Hcl::Block.new("in", [], {e: 3})])
    assert_equal <<~HCL, Hcl.render(block)
      x "y z" {
        a         = 1
        long_name = var.b
        list = [
          {
            c = 1
          },
        ]
        d = 2

        in {
          e = 3
        }
      }
    HCL
  end
end
