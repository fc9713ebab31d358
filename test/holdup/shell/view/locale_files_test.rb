# frozen_string_literal: true

require "test_helper"
require "fileutils"
require "holdup/loader"
require "support/key_users"
require "tmpdir"
require "yaml"

# Each feature has its own sentences: nothing of them is left where the feature's folder is removed.
class Holdup::View::LocaleFilesTest < Minitest::Test
  LIB = Holdup::View::LocaleFiles::FOLDER
  FILES = Holdup::View::LocaleFiles.all
  SHELL = "shell"
  # A longer one is split by subject: `locales/en/*.yml`.
  MOST_LINES = 400

  def test_finds_a_language_in_every_folder_of_locales
    Dir.mktmpdir do |folder|
      files = %w[features/one/locales/eo.yml features/two/locales/eo/subject.yml shell/view/locales/en.yml]
      files.each do |file|
        FileUtils.mkdir_p(File.dirname("#{folder}/#{file}"))
        FileUtils.touch("#{folder}/#{file}")
      end
      found = Holdup::View::LocaleFiles.all(folder)
      assert_equal %w[en eo], found.keys
      assert_equal %w[features/one/locales/eo.yml features/two/locales/eo/subject.yml],
        found["eo"].map { |file| file.delete_prefix("#{folder}/") }
    end
  end

  def test_the_language_of_a_locale
    {"ja_JP.UTF-8" => "ja", "ja" => "ja", "EN-gb" => "en", "C" => nil, "" => nil, nil => nil, "jav" => nil,
     "\xFF" => nil}.each do |locale, language|
      if language
        assert_equal language, Holdup::View::LocaleFiles.language_of(locale), locale.inspect
      else
        assert_nil Holdup::View::LocaleFiles.language_of(locale), locale.inspect
      end
    end
  end

  def test_a_folder_has_the_same_files_and_keys_in_every_language
    english = keys_by_file("en").transform_values(&:sort)
    assert_operator english.size, :>, 15
    (FILES.keys - ["en"]).each do |language|
      others = keys_by_file(language).to_h { |file, keys|
        [file.sub(%r{/locales/#{language}\b}, "/locales/en"), keys.sort]
      }
      assert_equal english, others, language
    end
  end

  JAPANESE = /[\p{Hiragana}\p{Katakana}\p{Han}]/

  def test_japanese_words_have_no_narrow_brackets
    texts = FILES.fetch("ja").flat_map { |file| YAML.load_file(file).fetch("ja").to_a }
    narrow = texts.select { |_, text| text.to_s.scan(/\([^()\n]*\)/).grep(JAPANESE).any? }
    assert_empty narrow
  end

  def test_a_file_can_be_read_in_one_go
    long = FILES.values.flatten.select { |file| File.foreach(file).count > MOST_LINES }
    assert_empty long.map { |file| relative(file) }
  end

  one_ruby def test_a_feature_has_only_sentences_that_no_other_part_says
    wrong = homes.reject { |_, home| home == SHELL }.filter_map do |key, home|
      parts = users.of(key)
      fits = users.given?(key) ? parts.include?(home) || users.asks?(home, key) : (parts - [home]).empty?
      "#{key} of #{home} is said by #{parts.join(", ")}" unless fits
    end
    assert_empty wrong
  end

  one_ruby def test_what_only_one_feature_says_is_in_its_folder
    wrong = homes.select { |_, home| home == SHELL }.filter_map do |key, _|
      parts = users.of(key).grep(KeyUsers::SAYING_PART)
      "#{key} is said only by #{parts.first}" if parts.one? && parts != [SHELL]
    end
    assert_empty wrong
  end

  def test_no_folder_of_locales_is_a_namespace
    folders = Dir["#{LIB}/**/locales"]
    assert_operator folders.size, :>, 10
    modules = [Holdup, Holdup::View, *Dir["#{LIB}/features/*/locales"].map { |folder| feature(folder) }]
    assert_empty modules.select { |one| one.const_defined?(:Locales, false) }
  end

  private

  def keys_by_file(language)
    FILES.fetch(language).to_h { |file| [relative(file), YAML.load_file(file).fetch(language).keys] }
  end

  def relative(file) = file.delete_prefix("#{LIB}/")

  # @return [Hash{String => String}] key => part in whose folder it is
  def homes
    @homes ||= keys_by_file("en").each_with_object({}) do |(file, keys), homes|
      keys.each { |key| homes[key] = file[KeyUsers::PART] }
    end
  end

  def users
    self.class.users ||= KeyUsers.new(LIB, homes.keys)
  end

  def feature(folder)
    name = folder[%r{features/(\w+)/}, 1].split("_").map(&:capitalize).join
    Holdup.const_get(name)
  end

  class << self
    attr_accessor :users
  end
end
