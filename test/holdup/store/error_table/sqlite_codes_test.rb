# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Store::ErrorTable::SqliteCodesTest < Minitest::Test
  Codes = Holdup::Store::ErrorTable::SqliteCodes

  def test_an_extended_code_means_what_its_primary_one_means
    assert_equal :locked, Codes.find(5, "").kind
    assert_equal :locked, Codes.find(517, "").kind, "SQLITE_BUSY_SNAPSHOT"
    assert_equal :bad_row, Codes.find(2067, "").kind, "SQLITE_CONSTRAINT_UNIQUE"
  end

  # SQLITE_IOERR is no file system; these of its codes are damage, or no memory.
  def test_an_extended_code_of_its_own_goes_first
    assert_equal :unreachable, Codes.find(10, "").kind
    assert_equal :corrupt, Codes.find(8202, "").kind
    assert_equal :out_of_memory, Codes.find(3082, "").kind
  end
end
