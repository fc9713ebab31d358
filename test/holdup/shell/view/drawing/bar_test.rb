# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::BarTest < Minitest::Test
  Bar = Holdup::View::Drawing::Bar

  def split(*values)
    Holdup::Analysis::SeriesRow::StateSplit.new(*values)
  end

  def test_each_state_has_its_share_of_the_characters
    assert_equal "##xxxxx~~~", Bar.draw(split(20, 0, 50, 30, 0, 0, 0), 10)
    assert_equal "#!x~=z+", Bar.draw(split(1, 1, 1, 1, 1, 1, 1), 7)
  end

  def test_is_always_exactly_as_wide_as_asked_for
    random = Random.new(5)
    500.times do
      columns = random.rand(1..90)
      assert_equal columns, Bar.draw(split(*Array.new(7) { random.rand(0..1_000) }), columns).size
    end
  end

  def test_nothing_measured_is_blank
    assert_equal "    ", Bar.draw(split(*[0] * 7), 4)
  end

  def test_colours_repeat_the_characters
    bar = Bar.draw(split(20, 0, 50, 30, 0, 0, 0), 10)
    painted = Bar.paint(bar, Holdup::View::Drawing::Style.new(true))
    assert_equal bar, painted.gsub(/\e\[\d+m/, "")
    assert_equal 3, painted.scan("\e[0m").size
    assert_equal bar, Bar.paint(bar, Holdup::View::Drawing::Style.none)
  end
end
