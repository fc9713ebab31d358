# frozen_string_literal: true

module GeneratedFiles
  # What assistants read first: llms.txt lists the pages (https://llmstxt.org), AGENTS.md says how to ask an
  # application and how to change this repository. Both come from what the commands and the pages say.
  module Assistants
    ABOUT = "Holdup measures for each request and job of a Ruby application where its time goes, how long " \
      "it waited for the GVL, and who caused the wait. It also says how many threads and processes you need."
    CONTRIBUTING = "CONTRIBUTING.md"
    LOOP = /^## The loop of a change\n\n(```\n.*?^```)$/m
    # What is not in a group only `holdup help --all` lists.
    MORE = "More"

    class << self
      # @return [Hash{String => String}] path from the project's root => content
      def files = {"llms.txt" => llms, "AGENTS.md" => agents}

      def llms
        [
          "# Holdup", "", "> #{ABOUT}", "",
          "## Guide", "", *guide, "",
          "## Reference", "", *reference, "",
          "## Schemas of JSON", "", *schemas, ""
        ].join("\n")
      end

      def agents
        [
          Reference::MADE, "", "# Holdup for coding agents", "", ABOUT, "",
          "## Ask an application", "",
          "Run the commands with the application's user. `--json` prints one object, which " \
          "[its schema](docs/reference/json.md) describes. `holdup mcp` offers the same to assistants " \
          "([MCP](docs/guide/mcp.md)).", "",
          *commands,
          "Exit status: 0 success, 1 failure or a negative answer, 2 a wrong option or no matching data " \
          "([more](docs/README.md#what-all-commands-have-in-common)).", "",
          "## Set it up", "",
          "[First report](docs/start.md), [servers and job runners](docs/guide/servers.md), " \
          "[where to put settings](docs/guide/configuration.md). The settings, each with " \
          "[when to change it](docs/reference/settings.md):", "",
          *settings, "",
          "## Read more", "",
          "[llms.txt](llms.txt) lists all pages. Where only the gem is installed, `holdup docs` prints them.",
          "",
          "## Change this repository", "", working_loop, "",
          "[House rules, and how to add a check, a rule, a setting and more](#{CONTRIBUTING}).", ""
        ].join("\n")
      end

      private

      def guide
        pages = Holdup::CLI::GuidePages.all.values.to_h { |page| [page.path.delete_prefix("#{ROOT}/"), page] }
        pages.except(*Reference::HEADS.keys.map { |name| Reference.path(name) }).map do |path, page|
          "- [#{title(page.text("en"))}](#{path}): #{page.about("en")}"
        end
      end

      def title(text) = text[/^# (.+)$/, 1]

      def reference
        Reference::HEADS.map do |name, (title, about)|
          "- [#{title}](#{Reference.path(name)}): #{first(about)}"
        end
      end

      def schemas
        Dir[File.join(ROOT, "docs/schema/*.json")].sort.map do |file|
          title = JSON.parse(File.read(file)).fetch("title")
          "- [#{title}](docs/schema/#{File.basename(file)})"
        end
      end

      def commands
        groups = Holdup::Features.commands.values.map(&:entry).group_by(&:group)
        [*Holdup::CLI::Registry::GROUPS, nil].flat_map do |group|
          title = group ? group.to_s.tr("_", " ").capitalize : MORE
          ["| #{title} | | for example |", "|---|---|---|", *rows(groups.fetch(group, [])), ""]
        end
      end

      def rows(entries)
        entries.map { |entry| "| `holdup #{entry.name}` | #{entry.summary} | #{example(entry)} |" }
      end

      def example(entry)
        arguments = entry.examples.find { |given| !given.empty? }
        "`holdup #{[entry.name, arguments].compact.join(" ")}`".gsub("|", "\\|")
      end

      def settings
        Holdup::Configuration::KEYS.map { |key| "- `#{key.name}`: #{Reference.prose(first(key.help))}" }
      end

      # @return [String] the first sentence
      def first(text) = Holdup::CLI::GuidePages::Beginning.new(text).sentence

      def working_loop = File.read(File.join(ROOT, CONTRIBUTING), encoding: "UTF-8")[LOOP, 1]
    end
  end
end
