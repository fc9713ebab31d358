# frozen_string_literal: true

require "stringio"
require "yaml"

module GeneratedFiles
  # The pages of docs/reference, each from the table that the code itself uses.
  module Reference
    FOLDER = "docs/reference"
    MADE = "<!-- bin/generate writes this page from the code. -->"
    REASONS = File.join(__dir__, "setting_reasons.yml")

    # Name of a page => its title and what stands below it.
    HEADS = {
      "commands" => ["Commands and options", "What `holdup COMMAND --help` prints, for every command. " \
        "[What all commands have in common](../README.md#what-all-commands-have-in-common)."],
      "settings" => ["Settings", "Each setting with what it does and when to change it. " \
        "[Where to set them](../guide/configuration.md)."],
      "metrics" => ["Metrics", "What the exporters send: [Prometheus](../guide/prometheus.md), " \
        "[OpenTelemetry](../guide/opentelemetry.md), [StatsD](../guide/statsd.md). " \
        "OpenTelemetry and StatsD use the names with dots."],
      "findings" => ["Findings of `holdup advise`", "What each finding says, what Holdup saw, what to do, " \
        "and what may go wrong. Words in italics stand for your names and figures. " \
        "[How advice is made](../guide/advise.md)."],
      "checks" => ["Checks of `holdup doctor`", "What the doctor can say, and what to do then. A line " \
        "without a remedy says that something is fine. Words in italics stand for your names and figures. " \
        "[How to run it](../guide/doctor.md)."],
      "errors" => ["Errors", "What commands and the dashboard answer when they can't do what was asked. " \
        "Words in italics stand for your names and figures. " \
        "[Exit statuses](../README.md#what-all-commands-have-in-common)."],
      "json" => ["Keys of JSON", "What `--json` prints, for every command that has it, from its schema. " \
        "[What all of them have in common](../guide/json.md)."]
    }.freeze

    class << self
      # @return [Hash{String => String}] path from the project's root => content
      def pages
        HEADS.to_h do |name, (title, about)|
          [path(name), [MADE, "", "# #{title}", "", about, "", *public_send(name)].join("\n") + "\n"]
        end
      end

      def path(name) = "#{FOLDER}/#{name}.md"

      # @return [Array<String>] lines
      def commands
        experiments = Holdup::Lab::Command::SUMMARIES.keys.map { |name| "lab #{name}" }
        (Holdup::Features.commands.keys + experiments).flat_map do |name|
          ["## holdup #{name}", "", "```", *help(name), "```", ""]
        end[..-2]
      end

      def settings
        reasons = YAML.load_file(REASONS)
        Holdup::Configuration::KEYS.flat_map do |key|
          variable = key.env ? "`#{key.env}`" : "none, only in Ruby"
          ["## #{key.name}", "", prose(key.help), "", "- When to change it: #{reasons.fetch(key.name.to_s)}",
            "- Default: `#{default(key)}`. Environment: #{variable}.",
            "- Example: `config.#{key.name} = #{key.example}`", ""]
        end[..-2]
      end

      def metrics
        exported.map { |metric|
          "| `#{metric.name}` | `#{metric.dotted_name}` | #{metric.type} | #{prose(metric.help)} |"
        }.unshift("| Prometheus | with dots | type | what it is |", "|---|---|---|---|")
      end

      def findings
        keys = texts.keys.filter_map { |key| key[/\Afinding_(\w+)_what\z/, 1] }
        keys.flat_map do |key|
          parts = {"What Holdup saw" => "evidence", "What to do" => "do", "Risk" => "risk"}
          lines = parts.filter_map { |title, part|
            text = texts["finding_#{key}_#{part}"]
            "- #{title}: #{plain(text)}" if text
          }
          ["## #{key}", "", plain(texts.fetch("finding_#{key}_what")), "", *lines, ""]
        end[..-2]
      end

      def checks = messages(/\Adoctor_(?!lever|title|sound|summary)\w+(?<!_fix)\z/, "the doctor says")

      def errors = messages(/\Aerror_(?!takes|swap|there|did|shorten)\w+(?<!_fix)\z/, "error")

      def json
        Dir[File.join(ROOT, "docs/schema/*.json")].sort.flat_map do |file|
          SchemaTable.new(File.basename(file, ".json"), JSON.parse(File.read(file))).lines
        end
      end

      # @return [String] with what Markdown would take for its own, outside of code
      def prose(text)
        escaped = {"<" => "&lt;", "*" => "\\*", "|" => "\\|"}
        text.gsub(/`[^`]*`|[<*|]/) { |part| escaped.fetch(part, part) }
      end

      # @return [String] a sentence of a locale for readers: names instead of values, what may be missing as
      #   if it were there, words of a count in the plural
      def plain(text)
        prose(text).gsub("[[", "").gsub("]]", "")
          .gsub(/\{\w+:(?:[^|{}]*\\\|)*([^|{}]*)\}/, '\1')
          .gsub(/%\{(\w+?)(?:_ns|_share|_bytes|_rate)?\}/) { "*#{$1.tr("_", " ")}*" }
      end

      private

      def help(name)
        out = StringIO.new
        console = Holdup::CLI::Console.new(out:, err: out, env: {"HOME" => "/nonexistent"}, clock:)
        status = Holdup::CLI.new(console:).run([*name.split, "--help"])
        raise "holdup #{name} --help: #{out.string}" unless status.zero?
        out.string.lines(chomp: true)
      end

      def default(key) = Holdup::ConfigurationKeys::Documents.default(key)

      # Every metric, without values.
      def exported
        export = Holdup::ConfigurationKeys::PrometheusExport.new(pairs: true)
        scaling = Holdup::Scaling::ScalingSignal.new(nil, capacity: nil, dir: "/nonexistent", clock:)
        Holdup::Export::ExportedMetrics.new(export, "", log: nil, clock:, scaling:).all
      end

      def clock = Holdup::Clock.new

      # @return [Hash{String => String}] what the locales of English say
      def texts
        @texts ||= Holdup::View::LocaleFiles.all.fetch("en")
          .map { |file| YAML.load_file(file).fetch("en") }.reduce(:merge)
      end

      def messages(pattern, head)
        rows = texts.keys.grep(pattern).map do |key|
          fix = texts["#{key}_fix"]
          "| #{plain(texts[key])} | #{plain(fix) if fix} |"
        end
        ["| #{head} | what to do |", "|---|---|", *rows]
      end
    end

    # The keys of one JSON Schema: a row each, a key within others after their names and a dot.
    class SchemaTable
      HEAD = ["| key | type | meaning |", "|---|---|---|"].freeze

      # @param name [String] of the schema: "lab-sweep"
      def initialize(name, schema)
        @name = name
        @schema = schema
      end

      # @return [Array<String>]
      def lines
        shared = @schema.fetch("$defs", {}).flat_map do |name, node|
          ["### #{@name}: #{name}", "", *HEAD, *rows(node, ""), ""]
        end
        ["## #{@schema.fetch("title")}", "", Reference.prose(@schema["description"].to_s), "",
          *HEAD, *rows(@schema, ""), "", *shared]
      end

      private

      def rows(node, path)
        within(node).flat_map do |(name, inner)|
          key = "#{path}#{name}"
          [row(key, inner), *rows(element(inner), "#{key}#{"[]" if inner["items"]}.")]
        end
      end

      def within(node) = node.fetch("properties", {})

      # @return [Hash] what a list has, or the node itself
      def element(node) = node["items"].is_a?(Hash) ? node["items"] : node

      def row(key, node)
        "| `#{key}` | #{type(node)} | #{Reference.prose(node["description"].to_s)} |"
      end

      # A type that several keys share has a table of its own.
      def type(node)
        reference = node["$ref"]&.split("/")&.last
        return "[#{reference}](##{@name}-#{reference})" if reference
        return "one of several" unless node["type"] || node["enum"]
        return node["enum"].map { |value| "`#{value.inspect}`" }.join(", ") if node["enum"]
        Array(node["type"]).join(" or ")
      end
    end
  end
end
