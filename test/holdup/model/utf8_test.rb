# frozen_string_literal: true

require "test_helper"
require "holdup/model/utf8"

class Holdup::Utf8Test < Minitest::Test
  Utf8 = Holdup::Utf8

  def test_reads_ascii_and_bytes_of_the_system_as_utf_8
    [Encoding::US_ASCII, Encoding::BINARY].each do |encoding|
      text = "/srv/é".dup.force_encoding(encoding)
      assert_equal "/srv/é", Utf8.of(text)
      assert_equal encoding, text.encoding, "the caller's text was changed"
    end
  end

  def test_keeps_text_in_a_known_encoding
    latin = "é".encode(Encoding::ISO_8859_1)
    assert_same latin, Utf8.of(latin)
  end

  def test_replaces_only_invalid_bytes
    assert_equal "a?b", Utf8.valid("a\xFFb".b)
    assert_equal "件", Utf8.valid("件".b)
    assert_equal "", Utf8.valid(nil)
    assert_equal "7", Utf8.valid(7)
  end

  def test_changes_no_frozen_text
    text = "a\xFF".b.freeze
    assert_equal "a?", Utf8.valid(text)
    assert_equal "a\xFF".b, text
  end
end
