# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# What a process records of its levers and its JIT has words in each language.
class Holdup::View::LeverTextTest < Minitest::Test
  WORDS = %w[en ja].to_h { |language| [language, Holdup::View::Words.new(language)] }
  LIB = File.expand_path("../../../../lib/holdup", __dir__)

  def text(key, language: "en", write: nil, **facts)
    words = WORDS.fetch(language)
    Holdup::View::LeverText.new(key, write:, words:, facts: facts.transform_keys(&:to_s))
  end

  def test_the_whole_and_what_is_left_to_do
    change = text("puma_restart", write: "threads 3, 3")
    assert_equal "threads 3, 3, then restart (SIGUSR2 to the master)", change.whole
    assert_equal "then restart (SIGUSR2 to the master)", change.then
    assert_equal "threads 3, 3、その後に再起動（マスターに SIGUSR2）",
      text("puma_restart", language: "ja", write: "threads 3, 3").whole
  end

  def test_a_sentence_of_its_own_with_facts
    assert_equal "concurrency = N in config.capsule(\"mails\")",
      text("sidekiq_capsule", write: "concurrency = N", capsule: "mails").whole
    assert_equal "config/sidekiq.yml の :concurrency: N",
      text("in_file", language: "ja", write: ":concurrency: N", file: "config/sidekiq.yml").whole
    assert_match(/\Apreload_app! true to share memory/, text(:puma_preload).whole)
  end

  def test_nothing_else_to_do
    assert_equal "falcon serve --count 3", text(nil, write: "falcon serve --count 3").whole
    assert_nil text(nil, write: "x").then
    assert_nil text(nil).whole
  end

  def test_a_key_of_another_version
    assert_equal "threads 3", text("puma_90", write: "threads 3").whole
    assert_equal "puma_90", text("puma_90").whole
  end

  def test_places
    places = {"ENV[MAX]" => %w[environment\ MAX 環境変数\ MAX], "ARGV" => %w[command\ line コマンドライン],
              "config/puma.rb:12" => %w[config/puma.rb:12 config/puma.rb:12], nil => [nil, nil]}
    places.each do |place, texts|
      shown = WORDS.values.map { |words| Holdup::View::LeverText.place(place, words) }
      (texts == [nil, nil]) ? assert_equal([], shown.compact) : assert_equal(texts, shown)
    end
  end

  # Keys that adapters and rules name in their source.
  def test_every_key_that_is_recorded_has_a_sentence
    adapters = Dir["#{LIB}/agent/servers/*.rb"].map { |file| File.basename(file, ".rb") }.join("|")
    files = Dir["#{LIB}/{agent/servers,advice}/**/*.rb"]
    sources = files.flat_map { |file| File.readlines(file).grep_v(/guard/) }
    named = sources.flat_map { |line| line.scan(/:((?:#{adapters})_\w+)|how(?::| =) :(\w+)/) }
    keys = named.flatten.compact.uniq
    fixed = sources.filter_map { |line| line[/FIXED\w* = :(\w+)/, 1] }
    assert_operator keys.size, :>=, 25
    assert_equal 8, fixed.size
    missing = (keys - fixed).reject { |key|
      WORDS["en"].key?(:"lever_#{key}") || WORDS["en"].key?(:"lever_#{key}_then")
    }
    assert_empty missing
    assert_empty(fixed.reject { |key| WORDS["en"].key?(:"fixed_#{key}") })
  end

  def test_facts_of_a_jit
    assert_equal "既定値と推定", WORDS["ja"].jit_fact("assumed default")
    assert_equal "rails", WORDS["ja"].jit_fact("rails")
    assert_equal "parent", WORDS["en"].jit_fact("parent")
  end
end
