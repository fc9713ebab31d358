# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"
require "support/extension_sources"

# docs/vocabulary.md names what there is in the code.
class VocabularyTest < Minitest::Test
  one_ruby

  ROOT = File.expand_path("..", __dir__)
  Row = Data.define(:term, :people_read, :meaning, :unit, :in_c, :in_ruby, :in_json)
  ROWS = File.readlines("#{ROOT}/docs/vocabulary.md").grep(/\A\| /).drop(1).map do |line|
    Row.new(*line.delete_prefix("|").delete_suffix("|\n").split("|", -1).map(&:strip))
  end
  UNITS = ["", "ns", "count", "bytes", "ratio"].freeze

  def test_each_term_has_one_row_with_a_meaning_and_a_unit
    assert_operator ROWS.size, :>, 25
    assert_equal ROWS.map(&:term).uniq, ROWS.map(&:term)
    assert_empty ROWS.select { |row| row.meaning.empty? }
    assert_empty ROWS.map(&:unit).uniq - UNITS
  end

  def test_the_words_in_c_are_there
    source = ExtensionSources.all.map { |file| File.read(file) }.join
    assert_empty names(:in_c).reject { |name| source.match?(/\b#{name}\b/) }
  end

  def test_the_words_in_ruby_are_there
    names(:in_ruby).each do |name|
      constant, member = name.split("#")
      found = Holdup.const_get(constant)
      assert_includes found.members, member.to_sym if member
    end
  end

  def test_the_words_in_json_are_there
    sample = SampleWindows.new
    summary = Holdup::Analysis::Summary.new(sample.to_a, from_s: sample.from_s, to_s: sample.to_s)
    written = Holdup::View::Json.new(summary).call
    assert_empty names(:in_json).reject { |name| written.include?("\"#{name}\":") }
  end

  def test_durations_have_their_suffix
    durations = ROWS.select { |row| row.unit == "ns" && !row.in_json.empty? }
    assert_empty durations.reject { |row| row.in_json.delete("`").end_with?("_ns") }.map(&:term)
  end

  GUIDES = Dir["#{ROOT}/docs/guide/*.md"].to_h { |path| [File.basename(path), File.read(path)] }.freeze
  # These have limits, thresholds and formulas, which a person who only wants an answer need not read.
  WITH_DETAIL = %w[advise.md autopilot.md capture.md compare.md dashboard.md deaths.md doctor.md
    experiments.md fleet.md notify.md ps.md report.md sizing.md whatif.md yjit.md].freeze
  DETAIL = /^## In detail$/
  # Sections of docs/README.md whose pages are about one task each.
  TASKS = ["Find the cause", "Choose a setting", "Prove a change"].freeze

  # Where one of our terms has its usual meaning, or is the name of a setting's key.
  USUAL = /meaning and unit|names and units|which unit|(?:an|no|your) account|Windows|\(wall\)/

  def test_pages_with_limits_and_formulas_keep_them_in_their_second_half
    assert_empty WITH_DETAIL.grep_v(->(name) { GUIDES.fetch(name).match?(DETAIL) })
    assert_empty GUIDES.select { |_, text| text.scan(DETAIL).size > 1 }.keys
  end

  def test_the_first_half_of_a_task_says_what_to_type
    tasks = pages_of_tasks
    assert_operator tasks.size, :>, 20
    tasks |= WITH_DETAIL
    assert_empty tasks.reject { |name| first_half(name).match?(/^```\n|^```ruby\n|`holdup [a-z]/) }
  end

  def test_no_first_half_uses_a_word_that_is_for_code_only
    terms = ROWS.reject { |row| row.people_read.empty? }.map(&:term)
    assert_operator terms.size, :>, 5
    found = GUIDES.keys.flat_map do |name|
      text = prose(first_half(name))
      terms.select { |term| text.match?(/\b#{term}s?\b/i) }.map { |term| "#{name}: #{term}" }
    end
    assert_empty found
  end

  # What people read: sentences, and pages (also those that are generated from help and settings).
  READ = Dir.chdir(ROOT) {
    Dir["{README,README.ja,CHANGELOG}.md", "docs/*.md", "docs/{guide,stories}/*.md", "examples/**/*.md",
      "docs/reference/{checks,commands,metrics,settings}.md",
      "lib/holdup/**/{locales,help}/**/*.yml"] - ["docs/vocabulary.md"]
  }.sort.freeze
  STALL = /(?<!in)stall(?:s|ed|ing)?\b/i
  # Where a key of JSON, of a setting or of an option, or the label of a metric is quoted.
  KEYS = [
    /`[^`\n]+`/, /\]\([^)]*\)/, /%\{\w+\}/, /^ *[\w-]+:(?= |$)/, /\w*stall(?:ed)?_\w+/,
    /stall(?:: \\?["\d]| > |=0|（経過| \(share)|\(stall\)|（stall）/,
    /by stalled, caused|stalled、caused|stalled\|caused|wait,stalled,cpu/,
    /\.stalled\b|state:stalled|stalled (?:waits for it|that for the GVL)/
  ].freeze

  def test_people_read_that_somebody_waits_for_the_gvl
    assert_operator READ.size, :>, 100
    found = READ.flat_map do |path|
      left = KEYS.reduce(File.read("#{ROOT}/#{path}")) { |text, key| text.gsub(key, "") }
      left.lines.grep(STALL).map { |line| "#{path}: #{line.strip}" }
    end
    assert_empty found, "stalled is a word of code: write GVL wait, or waits for the GVL"
  end

  def test_japanese_has_one_spelling_of_the_wait_for_the_gvl
    pages = READ.select { |path| path.match?(/\bja\b/) }
    assert_empty pages.select { |path| File.read("#{ROOT}/#{path}").match?(/GVL(?:待|の待|を待つ時間)/) }
  end

  private

  def pages_of_tasks
    sections = File.read("#{ROOT}/docs/README.md").split(/^## /).select { |text| text.start_with?(*TASKS) }
    sections.join.scan(%r{\(guide/([\w-]+\.md)}).flatten.uniq
  end

  def first_half(name) = GUIDES.fetch(name).split(DETAIL).first

  # Examples are what commands print; names of keys and options are code.
  def prose(text)
    [/^```.*?^```$/m, /`[^`\n]+`/, /\]\([^)]*\)/, USUAL].reduce(text) { |left, code| left.gsub(code, "") }
  end

  def names(column)
    ROWS.map { |row| row.public_send(column).delete("`") }.reject(&:empty?)
  end
end
