# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "fileutils"
require "open3"
require "rbconfig"

# A feature is one folder: whoever adds one edits no list, and whoever removes one removes the folder.
class Holdup::FeaturesTest < Minitest::Test
  include TemporaryFolder

  ROOT = File.expand_path("../../..", __dir__)
  TOY = {
    "feature.rb" => <<~RUBY,
      module Holdup
        module Toy
          Feature = FeatureContents.of(
            commands: [{name: "toy", place: 15, group: :look, summary: "what a toy says"}],
            pages: [{name: "toy", place: 15, section: :health}],
            tools: [{name: "toy", place: 15, command: %w[toy], description: "What a toy says."}],
            checks: {"Check" => 15},
            rules: %w[Rule Theme],
            marks: [{page: "toy", place: 15, constant: "Moos"}]
          )
        end
      end
    RUBY
    "command.rb" => <<~RUBY,
      module Holdup
        module Toy
          class Command
            extend CLI::CommandArguments

            OPTIONS = CLI::Options.new("holdup toy [options]",
              [Queries::Option.text("--sound WHAT", "it makes", default: "moo", tool: "what it says")])

            def initialize(console:, sound:)
              @console = console
              @sound = sound
            end

            def run
              @console.out.puts(@sound)
              CLI::OK
            end
          end
        end
      end
    RUBY
    "page.rb" => <<~RUBY,
      module Holdup
        module Toy
          class Page < View::PageBase
            def blocks = [View::Blocks::Lead.new(text: "It says moo.")]

            def span? = false
          end
        end
      end
    RUBY
    "moos.rb" => <<~RUBY,
      module Holdup
        module Toy
          module Moos
            def self.call(_store, from_s:, to_s:, words:) = []
          end
        end
      end
    RUBY
    "check.rb" => <<~RUBY,
      module Holdup
        module Toy
          module Check
            def self.call(_host) = Doctor::Checks::CheckResult.ok(:toy)
          end
        end
      end
    RUBY
    "rule.rb" => <<~RUBY,
      module Holdup
        module Toy
          module Rule
            def self.call(_situation) = nil
          end
        end
      end
    RUBY
    "theme.rb" => <<~RUBY,
      module Holdup
        module Toy
          module Theme
            LIMIT = 0.1

            class Helper
              def call = nil
            end

            module Rule
              def self.call(_situation) = nil
            end
          end
        end
      end
    RUBY
    "locales/en.yml" => "en:\n  title_toy: Toybox\n",
    "locales/ja.yml" => "ja:\n  title_toy: おもちゃ\n"
  }.freeze
  # Prints what there is.
  SCRIPT = <<~RUBY
    require "holdup/loader"
    require "json"
    require "rack/mock_request"
    require "stringio"
    said = lambda do |*argv|
      out = StringIO.new
      console = Holdup::CLI::Console.new(out:, err: out, env: {}, clock: Holdup::Clock.new)
      [Holdup::CLI.new(console:).run(argv), out.string]
    end
    app = Holdup::Web.new(store: -> { Holdup::Store.open("memory:") }, dir: ARGV.first, open: true)
    shown = lambda do |path|
      response = Rack::Response[*app.call(Rack::MockRequest.env_for(path))]
      [response.status, response.body.each.to_a.join]
    end
    Holdup.send(:const_get, :LOADER).eager_load(force: true) if ARGV.include?("all")
    puts JSON.generate(
      help: said.call("help", "--all"), toy: said.call("toy", "--sound", "baa"),
      start: shown.call("/"), page: shown.call("/toy"),
      collect: said.call("collect", "--once", "--dir", ARGV.first, "--store", ARGV.first + "/store.sqlite3"),
      tools: Holdup::Mcp::Command::McpTools.all.map { |tool| [tool.name, tool.arguments] },
      checks: Holdup::Features.checks.map(&:name), rules: Holdup::Features.rules.map(&:name),
      marks: Holdup::Features.marks.map { |listed| listed.load.name }
    )
  RUBY

  one_ruby def test_a_folder_adds_a_command_a_page_a_tool_a_check_and_a_rule
    found = with_lib do |lib|
      TOY.each do |name, text|
        file = File.join(lib, "holdup/features/toy", name)
        FileUtils.mkdir_p(File.dirname(file))
        File.write(file, text)
      end
    end
    order = /^  holdup report .*\n  holdup toy        what a toy says\n  holdup top /
    assert_match(order, found["help"].last)
    assert_equal [0, "baa\n"], found["toy"]
    assert_match(%r{href="/toy"[^>]*>Health</a>}, found["start"].last, "the menu")
    assert_equal 200, found["page"].first
    assert_match(%r{href="/toy"[^>]*>Toybox</a>}, found["page"].last, "beside the other pages of its section")
    assert_match(/It says moo\./, found["page"].last)
    assert_includes found["tools"],
      ["toy", {"sound" => {"type" => "string", "description" => "what it says"}}]
    assert_equal ["Holdup::Doctor::ProbeChecks::RubySupport", "Holdup::Toy::Check"], found["checks"].first(2)
    assert_includes found["marks"], "Holdup::Toy::Moos"
    assert_equal %w[Holdup::Toy::Rule Holdup::Toy::Theme::Rule], found["rules"].grep(/Toy/)
  end

  one_ruby def test_folders_that_are_removed_take_everything_of_them_along
    folders = Holdup::Features.folders
    kept = needed(%w[report mcp]).map { |name| "features/#{name}" }
    removed = folders.keys.grep(/features/) - kept
    assert_includes removed, "features/fleet"
    found = with_lib { |lib| removed.each { |name| FileUtils.rm_r(File.join(lib, "holdup", name)) } }
    assert_equal 0, found["help"].first
    left = folders.except(*removed).values
    commands = left.flat_map(&:commands).map(&:name)
    assert_equal commands.sort, found["help"].last.scan(/^  holdup (\S+) /).flatten.sort
    assert_equal 200, found["start"].first
    links = found["start"].last.scan(%r{href="/([a-z]+)["?]}).flatten
    firsts = sections(left).map(&:first)
    assert_equal firsts - ["overview"], sections(folders.values).flatten & links, "the menu"
    assert_equal left.flat_map(&:tools).sort_by(&:place).map(&:name), found["tools"].map(&:first)
    assert_equal Holdup::Features.checks.map(&:name), found["checks"]
    assert_equal [0, ""], found["collect"]
  end

  one_ruby def test_reading_what_there_is_loads_no_store_and_no_view
    loaded = run_script(<<~RUBY, "#{ROOT}/lib")
      require "holdup/loader"
      require "json"
      Holdup::Features.commands
      puts JSON.generate($LOADED_FEATURES)
    RUBY
    assert_empty loaded.grep(%r{/(sequel|sqlite3|pg|trilogy|mysql2|roda|rack)[/.-]})
    assert_empty loaded.grep(%r{/shell/view/|/holdup/store/})
    assert_empty loaded.grep(%r{/holdup/features/}).grep_v(%r{/feature\.rb\z})
    assert_operator loaded.grep(%r{/feature\.rb\z}).size, :>, 10
  end

  def test_what_tables_of_contents_name_is_there
    features = Holdup::Features
    assert(features.marks.all? { |listed| listed.load.respond_to?(:call) })
    [features.commands, features.pages].each do |listed|
      listed.each_value { |one| assert_kind_of Class, one.load, one.name }
    end
    assert(features.checks.all? { |check| check.respond_to?(:call) })
    assert(features.rules.all? { |rule| rule.respond_to?(:call) })
    features::ALL.each do |namespace, contents|
      contents.parts.each_key { |role| assert_equal namespace, owner_of(features.part(role)) }
    end
  end

  # A part that is asked for under another name would be left out without a word.
  def test_the_core_asks_for_the_parts_that_features_have
    texts = Dir["#{ROOT}/lib/holdup/**/*.rb"].map { |file| File.read(file) }
    asked = texts.flat_map { |text| text.scan(/Features\.part\(:(\w+)\)/) }
    named = Holdup::Features::ALL.each_value.flat_map { |contents| contents.parts.keys }
    assert_equal named.map(&:to_s).sort, asked.flatten.uniq.sort
  end

  def test_no_two_entries_have_the_same_place
    contents = Holdup::Features::ALL.values
    %i[commands pages tools marks].each do |kind|
      places = contents.flat_map { |one| one.public_send(kind).map(&:place) }
      assert_equal places.uniq, places, kind
    end
    checks = contents.flat_map { |one| one.checks.values }
    assert_equal checks.uniq, checks
  end

  private

  # @param names [Array<String>] of features
  # @return [Array<String>] these, and the features that they use
  def needed(names, found: [])
    rest = names - found
    return found if rest.empty?
    uses = rest.flat_map { |name| Holdup::Features.folders.fetch("features/#{name}").uses }
    needed(uses, found: found | rest)
  end

  # @param contents [Array<Holdup::FeatureContents>]
  # @return [Array<Array<String>>] the listed pages of each entry of the menu
  def sections(contents)
    pages = contents.flat_map(&:pages).select(&:listed).sort_by(&:place).group_by(&:section)
    pages.values_at(*Holdup::Web::Pages::SECTIONS).compact.map { |same| same.map(&:name) }
  end

  def owner_of(part) = Object.const_get(part.name.split("::").first(2).join("::"))

  # @yieldparam lib [String] a copy of lib, to be changed
  # @return [Hash] what the script found there
  def with_lib
    lib = File.join(folder, "lib")
    FileUtils.cp_r("#{ROOT}/lib", lib)
    FileUtils.mkdir_p(File.join(folder, "docs"))
    yield lib
    run_script(SCRIPT, lib, folder, "all")
  end

  def run_script(script, lib, *arguments)
    out, err, status = Open3.capture3(RbConfig.ruby, "-W0", "-I#{lib}", "-e", script, *arguments)
    assert_predicate status, :success?, err
    JSON.parse(out)
  end
end
