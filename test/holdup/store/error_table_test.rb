# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Store::ErrorTableTest < Minitest::Test
  ErrorTable = Holdup::Store::ErrorTable
  Errors = Holdup::Store::ServerErrors
  TABLES = [ErrorTable::PostgresCodes, ErrorTable::MysqlCodes, ErrorTable::ClickhouseCodes].freeze
  GUIDE = File.expand_path("../../../docs/guide/troubleshooting.md", __dir__)
  # Where one code has several causes, the words tell them apart.
  WORDS = ["", "canceling statement due to statement timeout", "conflict with recovery", "replica identity",
    "the 'max_user_connections' resource", "the --read-only option", "transaction timeout"].freeze

  # The damage that each database can prove. Whatever else it says, a backup does not help.
  def test_only_what_proves_damage_is_damage
    damage = TABLES.flat_map { |table| table::ENTRIES.select { |entry| entry.kind == :corrupt } }
    codes = damage.flat_map(&:codes)
    assert_equal %w[XX001 XX002 40 226 246 271].to_set, codes.to_set - mysql_damage
    TABLES.flat_map { |table| table::ENTRIES }.uniq(&:kind).each do |entry|
      message = sentence(entry).message
      assert_equal entry.kind == :corrupt, message.match?(/damaged|backup/), message
    end
  end

  def test_each_entry_has_a_sentence_with_the_words_of_the_server_and_the_setting
    TABLES.each do |table|
      table::ENTRIES.each do |entry|
        error = sentence(entry)
        assert_includes error.message, "the words", entry
        assert_includes error.message, entry.setting if entry.setting
        refute_nil error.advice, entry
      end
    end
  end

  def test_an_unknown_code_means_nothing
    TABLES.each { |table| assert_nil table.find("99999", "something"), table }
    assert_nil ErrorTable::SqliteCodes.find(1, "SQL logic error")
  end

  # A number of MySQL is no class of a SQLSTATE.
  def test_only_a_sqlstate_is_known_by_its_first_two_characters
    assert_equal :bad_row, ErrorTable::PostgresCodes.find("22ZZZ", "").kind
    assert_nil ErrorTable::MysqlCodes.find(1_299, "")
  end

  def test_the_guide_says_what_the_tables_say
    rows = File.readlines(GUIDE).grep(/\A\| .*(\| .*){4}\|$/).map { |row| row.split("|").map(&:strip)[1..] }
    rows = rows.select { |row| row.first.start_with?('"') }
    assert_operator rows.size, :>, 15
    rows.each do |message, *codes|
      words = message[/"([^"]+)"/, 1]
      TABLES.zip(codes) do |table, text|
        text.gsub(/HTTP.*/, "").scan(/\b[0-9A-Z]{2,5}\b/).each do |code|
          said = WORDS.filter_map { |words| table.find(code, words) }.map { |entry| sentence(entry).message }
          fits = said.any? { |one| one.include?(words) }
          assert fits, "#{table} #{code} is not #{words.inspect}: #{said.uniq}"
        end
      end
    end
  end

  private

  def sentence(entry) = Errors.of(entry, location: "db", reason: "the words", seconds: 1)

  def mysql_damage
    entries = ErrorTable::MysqlCodes::ENTRIES.select { |entry| entry.kind == :corrupt }
    entries.flat_map(&:codes).to_set
  end
end
