# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "sequel"
require "trilogy"

class Holdup::Store::Sql::Mysql::FaultsTest < Minitest::Test
  StoreError = Holdup::StoreError
  Errors = Holdup::Store::Sql::DatabaseServer::Errors
  # As the drivers have it, trilogy with the one name and mysql2 with the other.
  Numbered = Class.new(StandardError) do
    def initialize(number)
      super("the server said #{number}")
      @number = number
    end

    attr_reader :number
    alias_method :error_code, :number
  end

  def dialect
    Holdup::Store::Sql::Mysql.new("trilogy://me:secret@db/x", lock_wait_s: 7)
  end

  def wrapped(cause, outer = Sequel::DatabaseError)
    raise cause
  rescue
    begin
      raise outer, cause.message
    rescue Sequel::Error => error
      error
    end
  end

  def test_each_error_of_the_server_has_its_own_meaning
    {
      1205 => StoreError::Locked, 1213 => Errors::Deadlock, 1114 => StoreError::Full,
      1290 => Errors::ReadOnly, 1142 => Errors::Denied, 1045 => Errors::Unreachable,
      1040 => Errors::Unreachable, 1038 => Errors::OutOfMemory,
      2013 => Errors::Unreachable, 1406 => StoreError::BadRow, 1264 => StoreError::BadRow,
      1146 => Errors::Corrupt
    }.each do |number, expected|
      assert_instance_of expected, dialect.translate(wrapped(Numbered.new(number))), number.to_s
    end
  end

  def test_a_broken_connection_has_no_number
    [Trilogy::ConnectionClosed.new("TRILOGY_CLOSED_CONNECTION"), Trilogy::EOFError.new("TRILOGY_EOF"),
      Errno::ECONNREFUSED.new("x")].each do |error|
      assert_instance_of Errors::Unreachable, dialect.translate(error), error.class.name
      assert_instance_of Errors::Unreachable, dialect.translate(wrapped(error)), error.class.name
    end
  end

  def test_a_value_that_can_not_be_sent_is_the_fault_of_its_row
    assert_instance_of StoreError::BadRow, dialect.translate(Sequel::InvalidValue.new("x"))
  end

  def test_mistakes_of_ours_are_not_caught
    refute dialect.errors.any? { |kind| kind === NoMethodError.new }
    assert dialect.errors.any? { |kind| kind === Trilogy::QueryError.new("x") }
  end
end
