# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# What needs no server.
class Holdup::Store::Sql::DatabaseServerTest < Minitest::Test
  Sql = Holdup::Store::Sql
  Errors = Sql::DatabaseServer::Errors
  # A driver is loaded when a store is used, not when it is named.
  WITHOUT_DRIVERS = <<~'RUBY'
    $LOAD_PATH.reject! { |path| path.match?(%r{/(pg|trilogy|mysql2)-[\d.]+}) }
    require "holdup/loader"
    store = Holdup::Store.open(ARGV[0])
    begin
      store.checkpoints
    rescue Holdup::StoreError => error
      puts error.class, error.message, [defined?(PG), defined?(SQLite3)].inspect
    end
  RUBY

  def test_says_what_to_add_to_the_gemfile
    {"postgres://u:secret@127.0.0.1:1/db" => "pg", "mysql2://u:secret@127.0.0.1:1/db" => "mysql2",
     "trilogy://u:secret@127.0.0.1:1/db" => "trilogy"}.each do |url, gem|
      kind, message, loaded = without_drivers(url).lines.map(&:chomp)
      assert_equal "Holdup::Store::ServerErrors::MissingGem", kind
      assert_match(/needs the gem #{gem}, which is not installed; add `gem "#{gem}"` to the Gemfile/, message)
      refute_includes message, "secret"
      assert_equal "[nil, nil]", loaded
    end
  end

  def test_hides_passwords_wherever_they_stand
    ["postgres://me:secret@db/x", "postgresql:///x?user=me&password=secret&sslmode=require",
      "mysql2://me:secret@db/x"].each do |url|
      location = Sql::Postgres.new(url).location
      refute_includes location, "secret"
      assert_includes location, "***"
    end
  end

  # The parser's own words have all of it.
  def test_an_invalid_url_is_said_without_its_password
    ["postgres://u:p@se%cret@db/x", "trilogy://u:se#cret@db/x", "postgres://u:se cret@db/x",
      "postgres://u:secret@db:port/x", "mysql2://u:sec[ret@db/x"].each do |url|
      dialect = url.start_with?("postgres") ? Sql::Postgres : Sql::Mysql
      error = assert_raises(Errors::InvalidUrl, url) { dialect.new(url.sub("mysql2", "trilogy")).connect }
      refute_match(/se.?cret|sec\[ret/, error.message)
      assert_match(/%40 for @/, error.message)
    end
  end

  def test_opens_again_only_where_that_can_help
    dialect = Sql::Postgres.new("postgres://db/x")
    reopened = [Errors::Unreachable.new(location: "a", reason: "x"), Errors::NotMigrated.new(location: "a"),
      Errors::ReadOnly.new(location: "a"), Errors::Corrupt.new(location: "a", reason: "x")]
    kept = [Holdup::StoreError::Locked.new(location: "a", seconds: 1),
      Errors::Conflict.new(location: "a", reason: "x"), Holdup::StoreError::Full.new(location: "a"),
      Holdup::StoreError::BadRow.new(location: "a", reason: "x")]

    reopened.each { |error| assert dialect.reopen?(error), error.class.name }
    kept.each { |error| refute dialect.reopen?(error), error.class.name }
  end

  def test_a_database_without_tables_or_with_ours_is_taken
    dialect = Sql::Mysql.new("trilogy://db/x")
    assert_nil dialect.check_owner([])
    assert_nil dialect.check_owner(%i[checkpoints tiers windows schema_info more])
    assert_nil dialect.check_owner(%i[schema_info hosts]), "a migration that broke off"
    error = assert_raises(Errors::ForeignTables) { dialect.check_owner(%i[users posts carts orders]) }
    assert_includes error.message, "(with the tables carts, orders, posts ...); create a database"
  end

  private

  def without_drivers(url)
    paths = $LOAD_PATH.map { |path| "-I#{path}" }
    IO.popen([{"RUBYOPT" => nil}, RbConfig.ruby, "--disable=gems", *paths, "-e", WITHOUT_DRIVERS, url],
      err: %i[child out], &:read)
  end
end
