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

  # YJIT has compiled it.
  def test_leaves_a_line_out_that_is_not_known
    assert_equal "a.rb (A#x -> GC)", short("lib/a.rb:0 A#x | (GC)")
    assert_equal "a.rb:10 (A#x)", short("a.rb:10 A#x")
  end

  def test_leaves_an_unknown_line_out_of_the_whole_place
    assert_equal "lib/a.rb A#x | (GC)", Holdup::Ps::SampledPlace.whole("lib/a.rb:0 A#x | (GC)")
    assert_equal "lib/a.rb:10 A#x", Holdup::Ps::SampledPlace.whole("lib/a.rb:10 A#x")
    assert_equal "(unknown)", Holdup::Ps::SampledPlace.whole("(unknown)")
    assert_nil Holdup::Ps::SampledPlace.whole(nil)
  end

  def test_leaves_other_texts_alone
    assert_equal "(unknown)", short("(unknown)")
    assert_nil short(nil)
  end
end
