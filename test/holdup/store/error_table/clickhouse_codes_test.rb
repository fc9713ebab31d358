# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Store::ErrorTable::ClickhouseCodesTest < Minitest::Test
  Codes = Holdup::Store::ErrorTable::ClickhouseCodes

  # Each part of the server writes to the disk with a code of its own.
  def test_a_full_disk_is_known_by_its_words_whatever_the_code_is
    ["No space left on device", "Disk quota exceeded", "errno: 28, strerror"].each do |text|
      assert_equal :full, Codes.find(75, text).kind, text
    end
    assert_nil Codes.find(75, "errno: 281")
  end

  def test_a_query_that_is_too_long_is_a_syntax_error_with_other_words
    assert_equal "max_query_size", Codes.find(62, "Syntax error: Max query size exceeded").setting
    assert_nil Codes.find(62, "Syntax error: failed at position 3")
  end

  def test_a_proxy_in_front_of_it_has_only_a_status
    {"401" => :login, "413" => :limit, "429" => :connections, "503" => :lost, "404" => :unreachable}
      .each { |status, kind| assert_equal kind, Codes.of_status(status).kind, status }
  end
end
