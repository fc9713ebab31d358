# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Ps::SampledPlaceTest < Minitest::Test
  def short(place) = Holdup::Ps::SampledPlace.short(place)

  def test_begins_with_file_and_line
    assert_equal "sales_report.rb:30 (SalesReport#rows)",
      short("app/models/sales_report.rb:30 SalesReport#rows")
  end

  def test_says_what_the_method_called
    assert_equal "a.rb:1 (A#x -> Array#map)", short("a.rb:1 A#x | Array#map")
    assert_equal "a.rb:1 (block in A#x -> native C)", short("a.rb:1 block in A#x | (native C)")
  end

  def test_leaves_other_texts_alone
    assert_equal "(unknown)", short("(unknown)")
    assert_nil short(nil)
  end
end
