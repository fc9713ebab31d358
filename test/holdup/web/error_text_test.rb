# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Web::ErrorTextTest < Minitest::Test
  Store = Holdup::StoreError
  Server = Holdup::Store::Sql::DatabaseServer::Errors
  STORE_ERRORS = [
    Store::Locked.new(location: "/db", seconds: 1),
    Store::Locked.new(location: "/db", seconds: 1, reason: "lock timeout"),
    Store::Overtaken.new(location: "/db"),
    Store::RollingUp.new(location: "/db"),
    Store::Full.new(location: "/db"),
    Store::Full.new(location: "/db", kind: :file_full, reason: "disk full"),
    Store::ReadOnly.new(location: "/db", kind: :file_read_only, reason: "readonly database"),
    Store::OutOfMemory.new(location: "/db", reason: "out of memory"),
    Store::InUse.new(location: "/db", reason: "timeout: 5.0"),
    Store::Unexpected.new(location: "/db", reason: "no such function"),
    Store::ReadOnly.new(location: "/db"),
    Store::Corrupt.new(location: "/db", reason: "bad page"),
    Store::Missing.new(location: "/db"),
    Store::NotOurs.new(location: "/db"),
    Store::NotOurs.new(location: "/db", kind: :foreign, reason: "orders", tables: "orders"),
    Store::NotOurs.new(location: "/db", kind: :foreign_id, reason: "5", id: 5),
    Store::BadRow.new(location: "/db", reason: "too big"),
    Store::Folder.new(location: "/db", inside: "/db/holdup.sqlite3"),
    Store::Missing.new(location: "/db", folder: "/no"),
    Store::Unreachable.new(location: "/db", reason: "no folder"),
    Store::BeingMade.new(location: "/db"),
    Store::NoHome.new,
    Store::NewerSchema.new(location: "/db", found: 9, known: 1),
    Store::OlderSchema.new(location: "/db", found: 1, known: 9),
    Store::UnknownScheme.new(location: "/db", known: ["sqlite:///path"]),
    Server::MissingGem.new(location: "/db", gem: "pg"),
    Server::Unreachable.new(location: "/db", reason: "refused"),
    Server::Denied.new(location: "/db", reason: "no password"),
    Server::ReadOnly.new(location: "/db"),
    Server::ReadOnly.new(location: "/db", reason: "standby"),
    Server::InvalidUrl.new(location: "/db"),
    Server::ConnectionLost.new(location: "/db", reason: "reset"),
    Server::Starting.new(location: "/db", reason: "starting up"),
    Server::NoConnection.new(location: "/db", reason: "too many", setting: "max_connections"),
    Server::LoginRefused.new(location: "/db", reason: "wrong password"),
    Server::NoDatabase.new(location: "/db", reason: "unknown database"),
    Server::TlsFailed.new(location: "/db", reason: "certificate"),
    Server::Full.new(location: "/db", reason: "no space"),
    Server::Conflict.new(location: "/db", reason: "deadlock"),
    Server::RecoveryConflict.new(location: "/db", reason: "recovery"),
    Server::TimeLimit.new(location: "/db", reason: "timeout", setting: "statement_timeout"),
    Server::Cancelled.new(location: "/db", reason: "user request"),
    Server::LimitReached.new(location: "/db", reason: "packet", setting: "max_allowed_packet"),
    Server::NeedsKeys.new(location: "/db", reason: "no key", setting: "sql_require_primary_key"),
    Server::Unexpected.new(location: "/db", reason: "syntax"),
    Server::NotMigrated.new(location: "/db", reason: "no table"),
    Server::OutOfMemory.new(location: "/db", reason: "limit exceeded"),
    Server::NotMigrated.new(location: "/db"),
    Server::OlderSchema.new(location: "/db", found: 1, known: 9),
    Server::ForeignTables.new(location: "/db", tables: %w[a b c d]),
    Server::Corrupt.new(location: "/db", reason: "bad page")
  ].freeze

  def test_a_remedy_names_no_option_of_a_command
    remedy = "choose another span with --since, or --before and --after"
    error = Holdup::Error.new("nothing was recorded", remedy)

    assert_equal "choose another span", parts(error, "en").last.text
    STORE_ERRORS.product(%w[en ja]) do |one, language|
      words = Holdup::View::Words.new(language, page: true)
      texts = Holdup::Web::ErrorPages::ErrorText.new(one, words:).parts.map(&:text)
      assert_empty texts.grep(/(?<![\w-])--[a-z]/), one.class.name
    end
  end

  def parts(error, language)
    Holdup::Web::ErrorPages::ErrorText.new(error, words: Holdup::View::Words.new(language)).parts
  end

  def test_tells_each_store_error_and_its_remedy_in_the_language_of_the_page
    STORE_ERRORS.product(%w[en ja]) do |error, language|
      problem, remedy = parts(error, language)
      place = error.is_a?(Store::NoHome) ? "~/.local/state" : "/db"
      assert_includes problem.text, place, error.class
      refute_empty remedy.text
      assert_equal [language], [problem, remedy].map(&:language).uniq
    end
  end

  def test_every_kind_of_store_error_is_among_them
    kinds = ObjectSpace.each_object(Class).select { |kind| kind < Store }
    assert_empty kinds - STORE_ERRORS.map(&:class)
  end

  def test_explains_wrong_input_in_the_language_of_the_page
    problem, remedy = parts(
      Holdup::UsageError.new("since can't be \"x\"", "it takes a whole number from 1 to 9"), "ja"
    )
    assert_equal "「since」に \"x\" は指定できません。", problem.text
    assert_equal "1 から 9 までの整数を指定してください。", remedy.text
    assert_equal "ja", problem.language
  end

  # Each error that pages raise themselves, as it stands in their source.
  def test_every_wrong_address_has_its_sentence
    sources = Dir[File.expand_path(
      "../../../lib/holdup/{web/**/*,queries/option_values,queries/application_store}.rb", __dir__
    )]
    literal = /"((?:[^"\\]|\\.)*)"/
    errors = /UsageError\.new\(\s*#{literal},\s+#{literal}/
    texts = sources.flat_map { |file| File.read(file).scan(errors) }.flatten
    assert_operator texts.size, :>=, 30
    filled = texts.map { |text| text.gsub(/\#\{(?:[^{}]|\{[^}]*\})*\}/, "7") }
    patterns = Holdup::Web::ErrorPages::ErrorText::TRANSLATIONS["ja"].keys
    assert_empty filled.reject { |text| patterns.any? { |pattern| pattern.match?(text) } }
  end

  def test_an_error_without_translation_is_marked_as_english
    problem, = parts(Holdup::Error.new("something unheard of"), "ja")
    assert_equal "something unheard of", problem.text
    assert_equal "en", problem.language
  end
end
