# frozen_string_literal: true

require "test_helper"
require "holdup/model/deflated"

class Holdup::DeflatedTest < Minitest::Test
  def test_gives_back_what_was_deflated
    assert_equal "moo" * 1000, Holdup::Deflated.inflate(Zlib.deflate("moo" * 1000))
  end

  def test_damaged_bytes_are_an_error_and_no_warning
    bytes = Zlib.deflate("moo" * 1000)
    assert_empty(capture_io do
      [bytes[0...-4], "moo", ""].each do |damaged|
        assert_raises(Zlib::Error) { Holdup::Deflated.inflate(damaged) }
      end
    end.last)
  end
end
