# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Store::ErrorTable::MysqlCodesTest < Minitest::Test
  Codes = Holdup::Store::ErrorTable::MysqlCodes

  # One number has several causes.
  def test_words_tell_apart_what_one_number_means
    assert_equal :full, Codes.find(1030, "Got error 28 from storage engine").kind
    assert_equal :corrupt, Codes.find(1030, "Got error 127 from storage engine").kind
    assert_equal "max_user_connections",
      Codes.find(1226, "User 'a' has exceeded the 'max_user_connections' resource").setting
    assert_equal "MAX_QUERIES_PER_HOUR", Codes.find(1226, "has exceeded the 'max_questions' resource").setting
    assert_nil Codes.find(1290, "running with the --skip-grant-tables option")
  end

  # The disk of temporary tables is full; the store is not damaged.
  def test_a_crashed_temporary_table_is_a_full_disk
    assert_equal :full, Codes.find(1034, "Incorrect key file for table '/tmp/#sql_1_0.MAI'").kind
    assert_equal :corrupt, Codes.find(1034, "Incorrect key file for table 'windows'").kind
  end

  def test_what_the_driver_says_has_no_number
    assert_equal :lost, Codes.find(nil, "trilogy_query_recv: TRILOGY_CLOSED_CONNECTION: closed").kind
    assert_equal :unreachable, Codes.find(nil, "trilogy_connect - unable to connect").kind
    assert_nil Codes.find(nil, "something else")
  end

  def test_the_state_decides_for_numbers_that_are_not_listed
    assert_equal :bad_row, Codes.of_state("23000", "").kind
    assert_equal :read_only, Codes.of_state("25006", "").kind
    assert_nil Codes.of_state("25001", ""), "only the whole of it is known"
    assert_nil Codes.of_state(nil, "")
  end
end
