# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Store::ServerErrorsTest < Minitest::Test
  Errors = Holdup::Store::ServerErrors
  ErrorTable = Holdup::Store::ErrorTable

  def error(kind, setting: nil)
    Errors.of(ErrorTable.of(kind, setting:), location: "db.example/holdup", reason: "the words", seconds: 5)
  end

  def test_says_where_what_and_what_to_do
    message = error(:denied).message
    assert_match(/db\.example\/holdup.* refuses this user \(the words\); grant what/, message)
    assert_includes error(:connections, setting: "max_connections").advice, "raise max_connections"
  end

  # A collector goes on and tries again.
  def test_which_errors_pass_by_themselves
    passing = {lost: true, starting: true, conflict: true, denied: false, corrupt: false, not_migrated: false}
    passing.each { |kind, passes| assert_equal passes, error(kind).passes?, kind }
    assert_predicate error(:connections, setting: "x"), :passes?
  end

  def test_a_kind_that_is_a_limit_names_its_setting
    assert_equal "statement_timeout", error(:time_limit, setting: "statement_timeout").facts[:setting]
    assert_includes error(:needs_keys, setting: "group replication").advice, "group replication"
  end

  # The parser of URLs would show the password.
  def test_an_invalid_url_has_no_words_of_its_parser
    message = Errors::InvalidUrl.new(location: "postgres://db").message
    assert_includes message, "this is not a valid URL"
    assert_includes message, "%40 for @"
  end

  def test_a_store_that_is_not_migrated_may_have_words_of_the_server
    told, untold = [{reason: "no such table"}, {}].map do |facts|
      Errors::NotMigrated.new(location: "db", **facts)
    end
    assert_includes told.message, "(no such table)"
    assert_equal %i[table_missing not_migrated], [told.kind, untold.kind]
  end

  def test_names_a_few_tables_of_another_program
    few = Errors::ForeignTables.new(location: "db", tables: %w[a b c])
    many = Errors::ForeignTables.new(location: "db", tables: %w[a b c d])
    assert_includes few.message, "(with the tables a, b, c)"
    assert_includes many.message, "(with the tables a, b, c ...)"
  end

  def test_a_read_only_server_with_and_without_words
    kinds = [{reason: "standby"}, {}].map { |facts| Errors::ReadOnly.new(location: "db", **facts).kind }
    assert_equal %i[server_read_only read_only_server], kinds
  end
end
