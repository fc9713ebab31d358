# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::CLI::ErrorTextsTest < Minitest::Test
  include CommandLine

  ErrorTexts = Holdup::CLI::ErrorTexts
  HelpTexts = Holdup::CLI::HelpTexts
  TABLE = HelpTexts.read("ja")
  TEXTS = ErrorTexts.new("ja")
  LIB = Holdup::View::LocaleFiles::FOLDER
  # Raised by what commands run. The others are for logs, or have keys.
  SOURCES = Dir["#{LIB}/{collector,features,shell}/**/*.rb"].freeze
  # Put together elsewhere, or of another program: not an English sentence of ours.
  EXPORTERS = %w[otlp.rb statsd.rb].freeze
  JAPANESE = /[\p{Han}\p{Hiragana}\p{Katakana}]/
  # Between Japanese letters only: a value or the text of a command keeps its own.
  PUNCTUATION = /#{JAPANESE}[.,:;!?]/

  # The texts with which errors without a key are raised: "%{1}" stands for a value.
  class Raised
    ERRORS = %i[Error UsageError UnsupportedError].freeze

    # @return [Array<String>] of a file
    def self.in(file) = new.in(Prism.parse_file(file).value)

    def in(node)
      node.compact_child_nodes.flat_map { |child| self.in(child) } + own(node)
    end

    private

    def own(node)
      return [] unless node.is_a?(Prism::CallNode) && error?(node.receiver) && node.name == :new
      arguments = node.arguments&.arguments.to_a
      return [] if arguments.last.is_a?(Prism::KeywordHashNode)
      arguments.first(2).flat_map { |argument| texts(argument) }
    end

    def error?(node) = node.is_a?(Prism::ConstantReadNode) && ERRORS.include?(node.name)

    def texts(node)
      case node
      when Prism::StringNode then [node.unescaped]
      when Prism::InterpolatedStringNode then [written(node, [0])]
      when Prism::OrNode then texts(node.left) + texts(node.right)
      else []
      end
    end

    def written(node, count)
      node.parts.map { |part|
        case part
        when Prism::StringNode then part.unescaped
        when Prism::InterpolatedStringNode then written(part, count)
        else "%{#{count[0] += 1}}"
        end
      }.join
    end
  end

  def errors = TABLE.fetch("errors")

  # One Ruby has the parser for all.
  one_ruby def test_every_error_of_a_command_has_a_text
    require "prism"
    files = SOURCES.reject { |file| EXPORTERS.include?(File.basename(file)) }
    found = files.flat_map { |file| Raised.in(file) }.uniq
    assert_operator found.size, :>, 250
    assert_empty found - errors.keys
  end

  def test_a_text_has_the_values_of_the_english_one
    values = /%\{\d+\}/
    assert_empty(errors.reject { |english, text| (english.scan(values) - text.scan(values)).empty? })
    assert_empty(errors.reject { |english, text| (text.scan(values) - english.scan(values)).empty? })
  end

  def test_a_text_names_the_options_and_commands_of_the_english_one
    names = /(?<![\w-])--[a-z][a-z-]+|`[^`]+`|HOLDUP_\w+/
    wrong = errors.reject { |english, text| (english.scan(names) - text.scan(names)).empty? }
    assert_empty wrong
  end

  def test_the_texts_are_japanese_sentences
    errors.each_value do |text|
      assert_match JAPANESE, text
      refute_match PUNCTUATION, text
    end
  end

  def test_fills_in_the_values
    error = Holdup::UsageError.new("--slo can't be \"x\"", "it takes a size such as 512M or 2G")
    assert_equal "「--slo」に \"x\" は指定できません。512M や 2G のように、サイズを指定してください。", TEXTS.call(error)
    assert_equal "キューのジョブ", ErrorTexts.new("ja",
      {"errors" => {"a %{1} of %{2}" => "%{2}の%{1}"}, "error_values" => {"job" => "ジョブ", "queue" => "キュー"}})
      .text("a job of queue")
  end

  def test_the_text_with_most_words_of_its_own_fits
    assert_equal "「--if」に \"x can't be y\" は指定できません。", TEXTS.text("--if can't be \"x can't be y\"")
    assert_equal "the sky is blue", TEXTS.text("the sky is blue") || "the sky is blue"
  end

  def test_lists_of_names_have_japanese_commas
    assert_equal "次のいずれかです：migrate、status、copy。", TEXTS.text("it is one of migrate, status, copy")
    assert_equal "report または ps ではありませんか。", TEXTS.text("did you mean report or ps?")
  end

  def test_an_error_without_a_text_stays_as_it_is_said
    assert_equal "it is late; go home", TEXTS.call(Holdup::Error.new("it is late", "go home"))
  end

  def test_an_error_with_a_key_has_the_sentences_of_the_locales
    error = Holdup::View::InputError.new(:invalid_value, :takes_share, option: "--io", value: "x")
    assert_equal "「--io」に x は指定できません。45% や 0.45 のように、1 未満の割合を指定してください。", TEXTS.call(error)
  end

  def test_the_command_line_complains_in_the_language
    said = holdup("--lang", "ja", "report", "--limt", "3")
    assert_equal 2, said.status
    assert_equal "holdup: report に --limt というオプションはありません。--limit ではありませんか。\n", said.err
    assert_equal said.err, holdup("report", "--limt", "3", env: {"LANG" => "ja_JP.UTF-8"}).err
    assert_equal said.err, holdup("report", "--limt", "3", "--lang=ja").err
    assert_match(/report has no option --limt; did you mean --limit\?/, holdup("report", "--limt", "3").err)
  end

  def test_a_first_look_without_a_store_says_in_the_language_where_to_begin
    assert_match(/\Aまだ何も計測されていません。.*holdup exec -- COMMAND.*holdup doctor/m, holdup("--lang", "ja").out)
    assert_match(/\ANothing is measured yet/, holdup.out)
  end
end
