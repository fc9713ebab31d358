# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../bin/support/generate"

# What bin/generate writes is what is there.
class GenerateTest < Minitest::Test
  one_ruby

  def test_generated_files_are_current
    contents = GeneratedFiles.contents
    assert_equal 16, contents.size
    contents.each do |path, text|
      assert_equal text, File.read(File.join(GeneratedFiles::ROOT, path)), "#{path}: run bin/generate"
    end
  end

  def test_assistants_find_every_page_command_and_setting
    llms, agents = GeneratedFiles::Assistants.files.values_at("llms.txt", "AGENTS.md")
    assert_match(/\A# Holdup\n\n> [^\n]+\n\n## /, llms)
    links = llms.scan(/^- \[[^\]]+\]\(([^)]+)\)/).flatten
    links.each { |path| assert_path_exists File.join(GeneratedFiles::ROOT, path) }
    Holdup::CLI::GuidePages.all.each_key { |name| assert_match(%r{/#{name}\.md\): \S}, llms) }
    Holdup::Features.commands.each_key { |name| assert_includes agents, "| `holdup #{name}` |" }
    Holdup::Configuration::KEYS.each { |key| assert_includes agents, "- `#{key.name}`: " }
    assert_includes agents, "bin/test"
  end

  def test_sentences_of_the_reference_have_names_instead_of_values
    text = "Run %{best} {best:thread|threads}[[, %{wait_now_ns} now]] as <uid> or * with `a*<b>`."
    assert_equal "Run *best* threads, *wait now* now as &lt;uid> or \\* with `a*<b>`.",
      GeneratedFiles::Reference.plain(text)
  end

  def test_each_setting_has_a_reason_to_change_it
    reasons = YAML.load_file(GeneratedFiles::Reference::REASONS)
    assert_equal Holdup::Configuration::KEYS.map { |key| key.name.to_s }, reasons.keys
  end

  def test_the_reference_of_json_has_a_row_for_each_key
    schema = {"title" => "What x prints", "properties" => {
      "lines" => {"type" => "array", "items" => {"properties" => {"a" => {"type" => %w[string null]}}}},
      "all" => {"$ref" => "#/$defs/sum", "description" => "of a|b"}
    }, "$defs" => {"sum" => {"properties" => {"ns" => {"type" => "integer"}}}}}
    lines = GeneratedFiles::Reference::SchemaTable.new("x", schema).lines
    assert_equal ["| `lines` | array |  |", "| `lines[].a` | string or null |  |",
      "| `all` | [sum](#x-sum) | of a\\|b |", "| `ns` | integer |  |"], lines.grep(/\A\| `/)
  end

  def test_a_layout_that_changes_has_another_digest
    values = GeneratedFiles.values
    assert_equal values["DIGEST"], GeneratedFiles.digest(values)
    refute_equal values["DIGEST"], GeneratedFiles.digest(values.merge("SUMS_OFFSET" => "1"))
  end

  def test_a_style_sheet_gets_the_colours_and_classes_of_all_states
    marks = ["/* states, by bin/generate */\n", "/* end of states */\n"]
    css = [*marks.map { |mark| "  #{mark}" }, *marks].join
    filled = GeneratedFiles::Styles.new(css, :light).call
    Holdup::UnitNumbers::STATES.each_key do |state|
      assert_match(/^  --#{state}: #\h{6};$/, filled)
      assert_includes filled, ".s-#{state} {\n  fill: var(--#{state});\n}\n"
    end
  end

  def test_a_schema_gets_the_states_that_it_lacks
    text = JSON.generate(items: [{required: ["starved_ns"], properties: {starved_ns: {type: "integer"}}}])
    schema = JSON.parse(GeneratedFiles::Schema.new(text).call).fetch("items").first
    sums = Holdup::UnitNumbers::STATES.values.grep_v(:stalled).map(&:to_s)
    assert_equal sums.sort, schema.fetch("required").sort
    assert_equal schema.fetch("required"), schema.fetch("properties").keys
  end

  def test_the_table_of_features_has_a_row_for_each
    text = "a\n<!-- features, by bin/generate -->\n<!-- end of features -->\nb\n"
    filled = GeneratedFiles::FeatureTable.new(text).call
    folders = Holdup::Features.folders.keys
    assert_equal folders, filled.scan(/^\| `(.+?)\/` \|/).flatten
    assert_match(/^\| `features\/fleet\/` \| .+ \| `fleet` \| `fleet` \| `report`, `top` \|$/, filled)
    assert_equal ["a\n", "b\n"], filled.lines.values_at(0, -1)
  end
end
