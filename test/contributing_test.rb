# frozen_string_literal: true

require "test_helper"
require "contracts/store_contract"
require "contracts/store_methods_contract"
require "fileutils"
require "holdup/loader"
require "json"
require "open3"
require "rbconfig"

# The recipes of CONTRIBUTING.md fit the tree: what they name is there, and two of them are carried out.
class ContributingTest < Minitest::Test
  include TemporaryFolder

  ROOT = File.expand_path("..", __dir__)
  # `files`: how many the heading promises, nil without a number; `steps`: the text of each numbered step
  Recipe = Data.define(:title, :files, :steps) do
    # @return [Array<String>] what the steps begin with
    def paths = steps.map { |step| step[/\A`([^`]+)`/, 1] }
  end
  PAGE = File.read(File.join(ROOT, "CONTRIBUTING.md"), encoding: "UTF-8")
  TEXT = PAGE[/^## How to add \.\.\.\n(.*)\z/m, 1]
  RECIPES = TEXT.scan(/^\*\*(.+?)\*\*(.*?)\n((?:(?!^\*\*).)*)/m).map { |title, rest, body|
    steps = body.scan(/^\d+\. (.*(?:\n   .*)*)/).flatten
    Recipe.new(title:, files: rest[/\b(\d+) files/, 1]&.to_i, steps:)
  }.freeze
  # The change tasks that are to stay small, by a word of their recipe.
  LIMITS = {
    "threshold" => 2, "rule" => 4, "setting" => 4, "option" => 4, "job runner" => 4, "SQL database" => 4,
    "query" => 4, "sum" => 4, "state of the split" => 6
  }.freeze
  CODE = TEXT.scan(/`([^`\n]+)`/).flatten.freeze
  PATHS = CODE.grep(%r{\A(?:lib|ext|test|docs|bin)/[\w.*<>/-]+\z}).freeze
  CONSTANTS = CODE.grep(/\A(?:[A-Z]\w*::)*[A-Z][A-Za-z_]+(?:\.[a-z_]+)?\z/).freeze
  # Parts of several classes, so they have no name of their own: each adapter, command and segment has them.
  PARTS = {
    "AWAITS" => Holdup::Servers::ADAPTERS.values, "PROCESSES" => Holdup::Servers::ADAPTERS.values,
    "OPTIONS" => [Holdup::Report::Command, Holdup::Scaling::Command], "ALL" => [Holdup::ConfigurationKeys]
  }.freeze

  RULE = <<~RUBY
    module Toy
      def self.call(_situation) = Finding.new(rule: :toy)
    end
  RUBY
  CHECK = <<~RUBY
    module Toy
      def self.call(_host) = Checks::CheckResult.warn(:toy, processes: 2)
    end
  RUBY
  # Keys of one language may be in any of its files.
  SENTENCES = {
    "en" => {
      "findings" => {what: "A toy is in the way.", evidence: "It is.", do: "Take it away.", risk: "None."},
      "doctor" => ["%{processes} {processes:process has|processes have} a toy.", "Take it away."]
    },
    "ja" => {
      "findings" => {what: "おもちゃがあります。", evidence: "見えます。", do: "片づけます。", risk: "ありません。"},
      "doctor" => ["%{processes} 個のおもちゃがあります。", "片づけます。"]
    }
  }.freeze
  # Prints what there is.
  SCRIPT = <<~RUBY
    require "holdup/loader"
    require "json"
    require "stringio"
    doctor = lambda do |language|
      out = StringIO.new
      env = {"HOME" => ARGV.first}
      console = Holdup::CLI::Console.new(out:, err: out, env:, clock: Holdup::Clock.new)
      Holdup::CLI.new(console:).run(["doctor", "--dir", ARGV.first, "--lang", language])
      out.string.gsub(/\\s*\\n\\s+/, " ")
    end
    rules = Holdup::Features.rules
    findings = rules.select { |rule| rule.name.end_with?("::Toy") }.map { |rule| rule.call(nil) }
    texts = %w[en ja].map do |language|
      Holdup::Advise::AdviceFindings.new(findings, words: Holdup::View::Words.new(language)).first.what
    end
    puts JSON.generate(rules: rules.map(&:name), findings: texts, checks: Holdup::Features.checks.map(&:name),
      doctor: %w[en ja].map(&doctor))
  RUBY

  def test_every_recipe_has_steps
    assert_operator RECIPES.size, :>, 12
    assert_empty LIMITS.keys - LIMITS.keys.select { |word| recipe(word) }
  end

  def test_paths_that_recipes_name_are_there
    assert_operator PATHS.size, :>, 50
    missing = PATHS.reject { |path| Dir.glob(path.gsub(/<\w+>/, "*"), base: ROOT).any? }
    assert_empty missing
  end

  def test_each_step_of_a_counted_recipe_begins_with_its_file
    RECIPES.select(&:files).each { |one| refute_includes one.paths, nil, one.title }
  end

  def test_recipes_need_as_few_files_as_they_promise
    LIMITS.each do |word, limit|
      found = recipe(word)
      assert_operator found.steps.size, :<=, limit, found.title
      assert_operator found.files, :<=, found.steps.size, found.title
    end
  end

  def test_constants_that_recipes_name_are_there
    assert_operator CONSTANTS.size, :>, 20
    assert_empty CONSTANTS.uniq.reject { |name| known?(name) }
  end

  # In a copy of lib, in the files that the recipes name.
  one_ruby def test_a_rule_and_a_check_made_by_the_recipes_work
    rule_file, *rule_locales = recipe("rule").paths.first(3)
    check_file, feature_file, *check_locales = recipe("check").paths.first(4)
    theme = add(rule_file, RULE)
    checks = add(check_file, CHECK)
    edit(feature_file, /^ *checks: \{\n/, "\"#{checks}::Toy\" => 1,\n")
    (rule_locales + check_locales).each { |file| edit(file, /^\w\w:\n/, sentences(file)) }
    found = run_script
    assert_includes found["rules"], "Holdup::Advise::Rules::#{theme}::Toy"
    assert_equal ["A toy is in the way.", "おもちゃがあります。"], found["findings"]
    assert_includes found["checks"], "Holdup::Doctor::#{checks}::Toy"
    assert_match(/2 processes have a toy\..*Take it away\./m, found["doctor"].first)
    assert_match(/2 個のおもちゃがあります。.*片づけます。/m, found["doctor"].last)
  end

  private

  # @return [String] "DatabaseRules": the module of a theme's file, which has one more module now
  def add(pattern, text)
    file = Dir.glob(pattern, base: ROOT).min
    theme = File.basename(file, ".rb").split("_").map(&:capitalize).join
    edit(file, /^ *module #{theme}\n/, text)
    theme
  end

  # @param after [Regexp] the line that the text follows
  def edit(file, after, text)
    FileUtils.cp_r("#{ROOT}/lib", folder) unless File.exist?("#{folder}/lib")
    path = File.join(folder, file)
    before = File.read(path, encoding: "UTF-8")
    assert_match after, before, file
    File.write(path, before.sub(after) { |line| line + text })
  end

  # @return [String] lines of the YAML file
  def sentences(file)
    said = SENTENCES.fetch(file[/\b(?:en|ja)\b/])
    lines = %w[doctor_toy doctor_toy_fix].zip(said["doctor"])
    lines = said["findings"].map { |part, text| ["finding_toy_#{part}", text] } if file.include?("findings")
    lines.map { |key, text| "  #{key}: \"#{text}\"\n" }.join
  end

  def run_script
    out, err, status = Open3.capture3(RbConfig.ruby, "-W0", "-I#{folder}/lib", "-e", SCRIPT, folder)
    assert_predicate status, :success?, err
    JSON.parse(out)
  end

  def recipe(word) = RECIPES.find { |one| one.title.match?(/\b#{word}\b/) }

  # @param name [String] "Store::OPENERS", "Store.known", "UNIT_SUMS" of a header, or the end of a name
  def known?(name)
    return PARTS.fetch(name).all? { |owner| owner.const_defined?(name) } if PARTS.key?(name)
    constant, method = name.split(".")
    owners = constants.select { |one| one == constant || one.end_with?("::#{constant}") }
    return owners.any? { |one| Object.const_get(one).respond_to?(method) } if method
    owners.any? || headers.match?(/^#define #{constant}\b/) || Object.const_defined?(constant)
  end

  def headers
    @headers ||= Dir["#{ROOT}/ext/holdup/**/*.h"].map { |file| File.read(file) }.join
  end

  # @return [Array<String>] of the gem's own files, by their definitions, so that none has to be loaded
  def constants
    @constants ||= begin
      Holdup.send(:const_get, :LOADER).eager_load(force: true)
      names_in(Holdup, [Holdup])
    end
  end

  def names_in(owner, seen)
    owner.constants(false).flat_map do |name|
      next [] if owner.autoload?(name, false)
      value = owner.const_get(name)
      full = "#{owner}::#{name}"
      own = value.is_a?(Module) && value.inspect.start_with?("Holdup::")
      next [full] if !own || seen.include?(value)
      [full, *names_in(value, seen << value)]
    end
  end
end
