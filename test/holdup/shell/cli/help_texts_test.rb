# frozen_string_literal: true

require "test_helper"
require "fileutils"
require "holdup/loader"
require "tmpdir"

class Holdup::CLI::HelpTextsTest < Minitest::Test
  include CommandLine

  HelpTexts = Holdup::CLI::HelpTexts
  OTHERS = Holdup::View::LocaleFiles::LANGUAGES - ["en"]
  EXPERIMENTS = Holdup::Lab::Command::SUMMARIES.keys.to_h { |name|
    [name, Holdup::Lab.const_get(name.split("-").map(&:capitalize).join)::Command::OPTIONS]
  }
  OPTIONS = Holdup::Features.commands.each_value.filter_map { |listed|
    listed.load::OPTIONS if listed.load.const_defined?(:OPTIONS)
  } + EXPERIMENTS.values
  COLUMNS = 80
  # Three words of English that are a command.
  COMMANDS = ["go tool pprof"].freeze
  ENGLISH = /\b[a-z']+ [a-z']+ [a-z']+\b/
  JAPANESE = /[\p{Han}\p{Hiragana}\p{Katakana}ー]/
  PUNCTUATION = /#{JAPANESE}[.,:;?!()]|[.,;?!()]#{JAPANESE}/

  def help(*words) = holdup(*words, "--help", "--lang", "ja").out

  def helps
    names = Holdup::Features.commands.keys + EXPERIMENTS.keys.map { |name| "lab #{name}" }
    names.to_h { |name| [name, help(*name.split)] }
  end

  TABLES = OTHERS.to_h { |language| [language, HelpTexts.read(language)] }
  IN_JAPANESE = HelpTexts.of("ja")

  def texts(language) = TABLES.fetch(language)

  # @return [String] without commands and lines of usage
  def prose(text)
    lines = text.lines.reject { |line| line.match?(/^ {2}holdup|^使い方/) }
    text = lines.join.gsub(/`[^`]*`|holdup [\w-]+(?: [\w-]+)?/, "")
    COMMANDS.reduce(text) { |rest, one| rest.sub(one, "") }
  end

  def options
    OPTIONS.flat_map { |options| options.declared.map { |option| [options.name, option] } }
  end

  # What is only a list of names is the same in every language.
  def names?(option)
    type = option.type
    type.respond_to?(:known) && option.help == [type.known.join(", ")]
  end

  def own(table, command, flag) = table.dig("commands", command, "options", flag)

  def test_every_command_has_its_summary_in_every_language
    names = Holdup::Features.commands.keys + EXPERIMENTS.keys.map { |name| "lab #{name}" }
    OTHERS.each do |language|
      commands = texts(language).fetch("commands")
      assert_empty names - commands.select { |_, text| text["summary"] }.keys, language
      assert_empty commands.keys - names, language
    end
  end

  def test_every_option_is_explained_in_every_language
    assert_operator options.size, :>, 200
    OTHERS.each do |language|
      table = texts(language)
      missing = options.reject do |command, option|
        own(table, command, option.flag) || table.dig("options", option.flag) || names?(option)
      end
      assert_empty missing.map { |command, option| "#{command} #{option.flag}" }, language
    end
  end

  def test_commands_that_share_a_text_share_the_english_one
    OTHERS.each do |language|
      table = texts(language)
      shared = options.reject { |command, option| own(table, command, option.flag) || names?(option) }
      helps = shared.group_by { |_, option| option.flag }.transform_values do |found|
        found.map { |_, option| option.help.join(" ") }.uniq
      end
      assert_empty helps.select { |_, texts| texts.size > 1 }, language
    end
  end

  def test_no_text_explains_an_option_that_no_command_has
    flags = options.map { |_, option| option.flag }
    OTHERS.each do |language|
      table = texts(language)
      explained = table.fetch("commands").values.flat_map { |text| text.fetch("options", {}).keys }
      assert_empty [*explained, *table.fetch("options").keys].uniq - flags, language
    end
  end

  # A default in parentheses, an example, the limit of a value.
  def test_a_text_has_the_defaults_of_the_english_one
    wrong = options.filter_map do |command, option|
      defaults = option.help.join(" ").scan(/\(\d[^)]*\)/).map { |text| text[/\d[\w%.,]*/] }
      said = IN_JAPANESE.option(command, option).join
      "#{command} #{option.flag}: #{said}" unless defaults.all? { |default| said.include?(default) }
    end
    assert_empty wrong
  end

  def test_what_a_text_replaces_is_there
    table = texts("ja").fetch("commands")
    english = Holdup::Stores::Command::HELP
    parts = table.fetch("store").fetch("text")
    assert_empty parts.keys.reject { |part| english.include?(part) }
    refute_match ENGLISH, prose(help("store")).lines.grep(JAPANESE).join
  end

  def test_no_line_is_wider_than_a_terminal
    lines = [*helps.values, holdup("help", "--all", "--lang", "ja").out].flat_map(&:lines)
    assert_empty(lines.select { |line| Holdup::View::Width.of(line.chomp) > COLUMNS })
  end

  def test_nothing_is_left_in_english
    helps.each do |name, text|
      refute_match ENGLISH, prose(text), name unless name == "store"
      assert_match JAPANESE, text.lines.first, name
      assert_match(/^使い方：holdup #{name}/, text)
      assert_includes text, "このヘルプを表示する"
    end
    refute_match ENGLISH, prose(holdup("help", "--all", "--lang", "ja").out.gsub(/^ +/, ""))
  end

  def test_every_setting_is_explained_in_every_language
    names = Holdup::Configuration::KEYS.map { |key| key.name.to_s }
    OTHERS.each { |language| assert_equal names, texts(language).fetch("settings").keys, language }
  end

  # Values, names of gems and of variables are the same in every language.
  def test_a_setting_has_the_values_of_the_english_text
    value = /\b[A-Z]+_[A-Z_]+\b|:\d{4}|[a-z_]+=[^\s,.。)]+|`[^`]+`/
    TABLES.each_value do |table|
      Holdup::Configuration::KEYS.each do |key|
        text = table.fetch("settings").fetch(key.name.to_s)
        assert_empty key.help.scan(value).uniq - text.scan(value), key.name
      end
    end
  end

  def test_settings_are_shown_in_the_language_within_a_terminal
    said = holdup("help", "settings", "--lang", "ja").out
    assert_match(/\Aenabled \(HOLDUP_ENABLED\)、デフォルト true\n    計測するかどうか。/, said)
    assert_empty(said.lines.select { |line| Holdup::View::Width.of(line.chomp) > COLUMNS })
    assert_empty said.lines.grep_v(/HOLDUP_|^\w+、|\A {4}:/).grep(PUNCTUATION)
    refute_match ENGLISH, prose(said)[/^    .*/m].gsub(/Completed 200 OK|labels=app name/, "")
  end

  def test_japanese_sentences_have_japanese_punctuation
    wrong = [*helps.values, holdup("help", "--lang", "ja").out].flat_map(&:lines).grep(PUNCTUATION)
    assert_empty wrong
  end

  # OptionParser would take a line that begins with a dash for another name of the option.
  def test_each_option_has_its_own_line
    options.each do |command, option|
      IN_JAPANESE.option(command, option).each { |line| refute_match(/\A[-=]/, line, command) }
    end
    OPTIONS.each do |options|
      lines = options.help(IN_JAPANESE)
      options.declared.each { |option| assert_includes lines, option.spec.split("=").first }
    end
  end

  def test_the_language_is_named_before_or_after_the_command_or_by_the_environment
    japanese = help("report")
    assert_equal japanese, holdup("--lang", "ja", "report", "--help").out
    assert_equal japanese, holdup("--lang=ja", "help", "report").out
    assert_equal japanese, holdup("help", "report", "--lang", "ja").out
    assert_equal japanese, holdup("report", "--help", env: {"LANG" => "ja_JP.UTF-8"}).out
    refute_equal japanese, holdup("report", "--help", "--lang", "en", env: {"LANG" => "ja_JP.UTF-8"}).out
    assert_equal holdup("help", "--lang", "ja").out, holdup("--lang", "ja", "--help").out
    assert_equal help("lab", "sweep"), holdup("--lang", "ja", "lab", "sweep", "--help").out
  end

  # Also of a command that says nothing else in another language.
  def test_every_command_takes_the_language
    assert_equal 0, holdup("version", "--lang", "ja").status
    said = holdup("version", "--help", "--lang", "xx")
    assert_equal 2, said.status
    assert_equal "holdup: unknown language \"xx\"; --lang takes one of: en, ja\n", said.err
  end

  def test_finds_the_texts_in_the_folders_of_the_parts
    Dir.mktmpdir do |folder|
      {"features/one" => "one", "shell/cli" => "two"}.each do |part, name|
        FileUtils.mkdir_p("#{folder}/#{part}/help")
        File.write("#{folder}/#{part}/help/eo.yml", "eo: {commands: {#{name}: {summary: x}}}\n")
      end
      assert_equal %w[one two], HelpTexts.read("eo", folder).fetch("commands").keys
    end
  end

  def test_completion_explains_in_the_language
    fish = holdup("completion", "fish", "--lang", "ja").out
    assert_match(/-a report -d '時間の内訳/, fish)
    assert_match(/from report' -l store -r -d 'ストアのパス/, fish)
    refute_match(/-d '[^']*#{ENGLISH}/o, prose(fish))
    assert_equal holdup("completion", "bash").out, holdup("completion", "bash", "--lang", "ja").out
  end
end
