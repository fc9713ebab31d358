# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::ErrorTextTest < Minitest::Test
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
      texts = Holdup::View::ErrorText.of(one, words:).map(&:text)
      assert_empty texts.grep(/(?<![\w-])--[a-z]/), one.class.name
    end
  end

  def parts(error, language)
    Holdup::View::ErrorText.of(error, words: Holdup::View::Words.new(language))
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
      Holdup::View::InputError.new(:invalid_value, :takes_whole_number, option: "since", value: '"x"',
        from: 1, to: 9), "ja"
    )
    assert_equal "「since」に \"x\" は指定できません。", problem.text
    assert_equal "1 から 9 までの整数を指定してください。", remedy.text
    assert_equal "ja", problem.language
  end

  SOURCES = Dir[File.expand_path("../../../../lib/holdup/**/*.rb", __dir__)].freeze

  # The pages' own, and those of the questions that they share with commands.
  def test_every_error_of_a_page_has_a_key
    pages = SOURCES.grep(%r{/holdup/(?:web/|view/pages/|queries/(?!unmatched_filter))})
    assert_empty(pages.select { |file| File.read(file).match?(/\b(?:Usage)?Error\.new\(\s*"/) })
  end

  def test_every_key_has_its_sentences
    literal = /(?:Input|NoData)Error\.new\(:(\w+)(?:, (?::(\w+)|(fix)\b))?/
    raised = SOURCES.flat_map { |file| File.read(file).scan(literal) }
    keys = raised.flat_map { |key, fix, asked| [key, fix || (asked ? nil : "#{key}_fix")] }.compact
    keys += SOURCES.flat_map { |file| File.read(file).scan(/refuse\(option, text, :(\w+)/) }.flatten
    assert_operator keys.size, :>=, 60
    table = Holdup::View::Words::LANGUAGES.fetch("en")
    assert_empty keys.uniq.reject { |key| table.key?(:"error_#{key}") }
  end

  def test_the_message_is_english
    error = Holdup::View::InputError.new(:invalid_value, :did_you_mean, option: "--by", value: '"arn"',
      names: %w[arm app])

    assert_equal "--by can't be \"arn\"; did you mean arm or app?", error.message
    assert_equal ["「--by」に \"arn\" は指定できません。", "arm または app ではありませんか。"],
      parts(error, "ja").map(&:text)
    assert_predicate error.facts, :frozen?
  end

  def test_an_error_without_translation_is_marked_as_english
    problem, = parts(Holdup::Error.new("something unheard of"), "ja")
    assert_equal "something unheard of", problem.text
    assert_equal "en", problem.language
  end
end
