# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../benchmark/support/document"

# What the pages say of each other and of the command line is so: links lead somewhere, commands and options
# are there and are written down.
class DocumentsTest < Minitest::Test
  one_ruby

  include CommandLine

  ROOT = File.expand_path("..", __dir__)
  PAGES = Dir.chdir(ROOT) {
    Dir["*.md",
      "{docs,examples,benchmark,assets,test}/**/*.md"] - Dir["**/node_modules/**/*.md"]
  }.sort.freeze
  # Written from the code, which proves nothing about what people read.
  GENERATED = PAGES.grep(%r{\A(?:docs/reference/|AGENTS\.md\z)}).freeze
  LINK = /\]\(([^)\s]+)\)|\bsrc(?:set)?="([^"]+)"/
  # The repository's own pages on GitHub, wherever it is there.
  WORKFLOWS = "../../actions/workflows/"
  COMMANDS = (Holdup::Features.commands.keys - %w[help lab] +
    Holdup::Lab::Command::SUMMARIES.keys.map { |name| "lab #{name}" }).freeze
  # Up to what belongs to the shell, to a comment or to the command that is run.
  CALL = /\bholdup ([a-z](?:(?! holdup )[^|;>#()])*)/
  OPTION = /(?<![\w-])--[a-z][a-z0-9-]*/
  # Options of all commands, described once in docs/README.md.
  EVERYWHERE = %w[--help --debug --lang --store].freeze

  # What a path in a page may begin at.
  ROOTS = %w[. lib/holdup lib/holdup/shell lib/holdup/shell/view lib/holdup/features/advise ext/holdup].freeze
  # A folder, or a path from a folder of ours. Those of applications are not here.
  FOLDER = %r{\A(?!config/)[\w.*<>{},/-]+/\z}
  OURS = %r{\A(?:lib/holdup|ext/holdup|test|benchmark|docs|features|shell|agent|collector|store|analysis|
    model|segment|capture|hooks)/[\w.*<>{},/-]+\z}x

  def test_links_lead_to_files_and_headings
    PAGES.each do |page|
      links(page).each do |link|
        path, anchor = link.split("#", 2)
        target = path.empty? ? page : File.join(File.dirname(page), path)
        assert_path_exists File.join(ROOT, target), "#{page} links to #{link}"
        assert_includes anchors(target), anchor, "#{page} links to #{link}" if anchor
      end
    end
  end

  def test_folders_and_files_that_pages_name_are_there
    found = PAGES.without("CHANGELOG.md").flat_map { |page| paths(page).map { |path| [page, path] } }
    assert_operator found.size, :>, 100
    missing = found.reject do |_, path|
      ROOTS.any? { |root| Dir.glob(path, base: File.join(ROOT, root)).any? }
    end
    assert_empty missing.map { |page, path| "#{page}: #{path}" }
  end

  def test_paths_are_found_in_the_text
    text = "`agent/{guard,log}`, `lib/holdup/features/<name>/`, `a/b`, `report x`, `config/` and `terraform/`"
    assert_equal %w[agent/guard* agent/log* lib/holdup/features/*/ terraform/], paths_in(text)
  end

  def test_the_list_has_every_page
    listed = links("docs/README.md").map { |link| link[/\A[^#]+/] }
    pages = Dir.glob("{*,guide/*,stories/*,internals/*,reference/*}.md", base: "#{ROOT}/docs") - ["README.md"]
    assert_empty pages.grep_v(/\.ja\.md\z/) - listed
  end

  def test_both_readmes_link_to_the_same
    english, japanese = %w[README.md README.ja.md].map { |page| links(page) - %w[README.md README.ja.md] }
    assert_equal english.map { |link| in_japanese(link) }.tally, japanese.tally
  end

  def test_the_changelog_names_the_present_versions_of_formats
    found = read("CHANGELOG.md").scan(/(Segment|capture|store): (?:layout|schema) (\d+);/)
    expected = {"Segment" => Holdup::Segment::Layout::VERSION, "capture" => Holdup::Capture::Layout::VERSION,
                "store" => Holdup::Store::Sql::Connection::Schema.new.known}

    assert_equal expected, found.first(3).to_h.transform_values(&:to_i)
  end

  def test_every_line_of_the_threat_model_names_a_test_that_is_there
    rows = read("docs/guide/security.md").lines.grep(/\A\|.*\|$/).grep_v(/\| test \|$|\A\|---/)
    assert_operator rows.size, :>, 20
    rows.each do |row|
      tests = row.scan(%r{\[[\w ]+\]\((?:\.\./)+(test/\S+_test\.rb)\) `(test_\w+)`})
      refute_empty tests, row
      tests.each { |file, name| assert_match(/def #{name}$/, read(file), "#{file} has no #{name}") }
    end
  end

  def test_commands_and_options_that_pages_name_are_there
    unknown = PAGES.without("CHANGELOG.md").flat_map do |page|
      calls(page).flat_map { |call|
        (call.split(" -- ").first.scan(OPTION) - options_of(call)).map { |option|
          "#{page}: #{option} in holdup #{call}"
        }
      }
    end
    assert_empty unknown
  end

  def test_every_option_is_written_down
    silent = COMMANDS.flat_map do |command|
      pages = (PAGES - GENERATED).without("CHANGELOG.md").map { |page| read(page) }
      text = pages.select { |page| page.include?("holdup #{command}") }.join
      (options_of(command) - EVERYWHERE - text.scan(OPTION)).map { |option| "holdup #{command} #{option}" }
    end
    assert_empty silent
  end

  # Only commands that print the same everywhere.
  def test_what_a_page_shows_is_what_is_printed
    shown = read("docs/guide/calculate.md")[/^\$ holdup calculate --io 45%\n(.*?)\n```/m, 1]
    assert_includes holdup("calculate", "--io", "45%").out, shown
  end

  STORY = %r{\(\[the whole story\]\(\.\./stories/([\w-]+\.md)\)\):\n\n```\n(.*?)^```$}m

  # bin/stories compares the stories with what the commands print; README has the top of the same report.
  def test_examples_that_a_guide_takes_from_a_story_are_there
    examples = Dir.chdir(ROOT) { Dir["docs/guide/*.md"] }.flat_map { |page| read(page).scan(STORY) }
    assert_operator examples.size, :>=, 3
    examples.each do |story, example|
      there = (read("docs/stories/#{story}") + read("README.md")).lines
      assert_empty example.lines - there - ["[...]\n"], story
    end
  end

  def test_every_bench_has_a_place_for_its_figures
    Bench::Document::PAGES.values.flatten.each do |name|
      page = File.read(Bench::Document.of(name).path)
      Bench::Document.marks(name).each { |mark| assert_equal 1, page.scan(mark).size, "#{name}: #{mark}" }
    end
  end

  MEASUREMENTS = PAGES.grep(%r{\Adocs/measurements/}).freeze
  SUMMARY = /\A# [^\n]+\n\n(?<summary>In short: .+?)\n\n(?<rest>.*)\z/m
  FIGURE = /\d+(?:\.\d+)*/

  def test_each_page_of_measurements_begins_with_what_it_says
    assert_operator MEASUREMENTS.size, :>, 10
    MEASUREMENTS.each do |page|
      summary = read(page)[SUMMARY, :summary]
      refute_nil summary, "#{page}: no paragraph that begins with 'In short:' below the title"
      assert_operator summary.scan(/\.(?:\s|\z)/).size, :>=, 2, "#{page}: sentences of the summary"
    end
  end

  # bin/bench --write replaces tables, and what is said of them would stay.
  def test_figures_of_a_summary_are_those_of_its_page
    strange = MEASUREMENTS.flat_map do |page|
      summary, rest = read(page).match(SUMMARY).values_at(:summary, :rest)
      (summary.scan(FIGURE) - rest.scan(FIGURE)).map { |figure| "#{page}: #{figure}" }
    end
    assert_empty strange
  end

  private

  def read(page)
    (@read ||= {})[page] ||= File.read(File.join(ROOT, page))
  end

  def prose(page) = read(page).gsub(/^```.*?^```$/m, "")

  # @return [String] what the Japanese README links to instead: a page or picture in Japanese, if there is one
  def in_japanese(link)
    page = link.sub(/\.md\z/, ".ja.md")
    (page != link && File.exist?(File.join(ROOT, page))) ? page : link.sub(/-en(-dark)?\.png/, '-ja\1.png')
  end

  def links(page)
    prose(page).scan(LINK).flatten.compact.grep_v(/\A(?:(https?|mailto):|#{Regexp.escape(WORKFLOWS)})/o)
  end

  def paths(page) = paths_in(prose(page))

  # @return [Array<String>] globs of the folders and files that are named
  def paths_in(text)
    named = text.scan(/`([^`\n]+)`/).flatten.select { |code| FOLDER.match?(code) || OURS.match?(code) }
    named.flat_map { |path| alternatives(path.gsub(/<\w+>/, "*")) }
      .map { |path| path.match?(%r{/\z|\.\w+\z}) ? path : "#{path}*" }
  end

  # @return [Array<String>] "agent/guard" and "agent/log" for "agent/{guard,log}"
  def alternatives(path)
    before, several, after = path.match(/\A(.*?)\{([^}]*)\}(.*)\z/)&.captures
    several ? several.split(",").flat_map { |one| alternatives(before + one + after) } : [path]
  end

  # As GitHub makes them.
  def anchors(page)
    prose(page).scan(/^#+ (.+)$/).map { |(heading)|
      heading.gsub(/\[([^\]]*)\]\([^)]*\)/, '\1').downcase.gsub(/[^\p{Word}\- ]/, "").tr(" ", "-")
    }
  end

  # @return [Array<String>] what is in code, from the name of the command on
  def calls(page)
    fenced = read(page).scan(/^```.*?^```$/m)
    spans = prose(page).scan(/`([^`\n]+)`/).flatten
    (fenced.flat_map(&:lines) + spans).filter_map { |text|
      text[CALL, 1] if text.match?(/(\A|[\s`])(\$ |bundle exec |exec exe\/)?holdup [a-z]/)
    }.map(&:strip)
  end

  # @param call [String] "lab sweep --threads 5"
  def options_of(call)
    command = COMMANDS.find { |name| call.match?(/\A#{name}\b/) } || call[/\A\w+/]
    (@options ||= {})[command] ||= holdup(*command.split, "--help").then do |said|
      assert_equal 0, said.status, "holdup #{call}: #{said.err}"
      said.out.scan(OPTION) | EVERYWHERE
    end
  end
end
