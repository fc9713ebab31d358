# frozen_string_literal: true

require "digest"
require "json"
require "open3"
require "tmpdir"
require_relative "generate/assistants"
require_relative "generate/reference"

# What is written from other files of the project, by bin/generate: Ruby from C headers; style sheets,
# schemas, the table of features, the pages of docs/reference, llms.txt and AGENTS.md from that Ruby. The
# numbers come from a small program that includes the headers, so they are the compiler's.
module GeneratedFiles
  ROOT = File.expand_path("../..", __dir__)
  TEMPLATES = File.join(__dir__, "generate")
  PROGRAM = File.join(TEMPLATES, "layout.c")
  # File => its template. A template has {{NAME}} where the program prints a value after that name.
  FROM_C = {
    "lib/holdup/model/unit_numbers.rb" => "unit_numbers.rb.in",
    "lib/holdup/segment/layout.rb" => "layout.rb.in"
  }.freeze
  STYLES = {"holdup.css" => :light, "dark.css" => :dark}.transform_keys { |name|
    "lib/holdup/shell/view/html/assets/#{name}"
  }.freeze
  SCHEMAS = %w[docs/schema/report.json docs/schema/lab-sidekiq-vcpu.json].freeze
  FEATURES = "docs/internals/architecture.md"
  COLUMNS = 104

  class << self
    # Ruby's own constants are those of the files that are written first.
    def write
      write_all(from_c)
      require "holdup/loader"
      write_all(from_ruby)
    end

    # @return [Hash{String => String}] path from the project's root => content
    def contents = {**from_c, **from_ruby}

    # @return [Hash{String => String}] what the program prints
    def values
      printed = Dir.mktmpdir do |folder|
        program = File.join(folder, "layout")
        run(ENV.fetch("CC", "cc"), "-std=gnu11", "-I#{ROOT}/ext/holdup", "-o", program, PROGRAM)
        run(program)
      end
      printed.lines(chomp: true).to_h { |line| line.split(" ", 2) }
    end

    # Readers refuse a version that they do not know, and would misread a layout that changed under the old
    # one.
    # @return [String] of everything that the program prints but the version
    def digest(values)
      Digest::SHA256.hexdigest(values.except("VERSION", "DIGEST").inspect)[0, 8]
    end

    private

    def check(values)
      return if values["DIGEST"] == digest(values)
      raise "the layout changed: give SEG_VERSION its next number, and SEG_DIGEST #{digest(values)}"
    end

    def write_all(contents)
      contents.each { |path, text| File.write(File.join(ROOT, path), text) }
    end

    def from_c
      values = self.values
      check(values)
      FROM_C.transform_values { |template| fill(File.read(File.join(TEMPLATES, template)), values) }
    end

    def from_ruby
      styles = STYLES.to_h { |path, shade| [path, Styles.new(read(path), shade).call] }
      schemas = SCHEMAS.to_h { |path| [path, Schema.new(read(path)).call] }
      pages = {**Reference.pages, **Assistants.files}
      {**styles, **schemas, FEATURES => FeatureTable.new(read(FEATURES)).call, **pages}
    end

    def read(path) = File.read(File.join(ROOT, path), encoding: "UTF-8")

    def fill(template, values)
      lists = template.gsub(/^( +)\{\{(\w+)\}\}$/) { wrapped(values.fetch($2).split, $1) }
      lists.gsub(/\{\{(\w+)\}\}/) { readable(values.fetch($1)) }
    end

    def wrapped(names, indent)
      lines = names.each_with_object([+""]) do |name, rows|
        rows << +"" if indent.size + rows.last.size + name.size + 1 > COLUMNS
        rows.last << " " unless rows.last.empty?
        rows.last << name
      end
      lines.map { |line| indent + line }.join("\n")
    end

    # @return [String] 12_288
    def readable(value)
      value.match?(/\A\d{5,}\z/) ? value.gsub(/(?<=\d)(?=(\d{3})+\z)/, "_") : value
    end

    def run(*command)
      output, status = Open3.capture2e(*command)
      raise "#{command.join(" ")}:\n#{output}" unless status.success?
      output
    end
  end

  # A style sheet with the colours of the states, and the classes that have them, between their marks.
  class Styles
    COLOURS = %r{(?<=^  /\* states, by bin/generate \*/\n).*?(?=^  /\* end of states \*/)}m
    CLASSES = %r{(?<=^/\* states, by bin/generate \*/\n).*?(?=^/\* end of states \*/)}m

    # @param shade [Symbol] :light or :dark
    def initialize(css, shade)
      @css = css
      @looks = Holdup::View::StateLooks::ALL
      @shade = shade
    end

    def call
      colours = @looks.map { |state, look| "  --#{state}: #{look.public_send(@shade)};\n" }
      classes = @looks.keys.map { |state| ".s-#{state} {\n  fill: var(--#{state});\n}\n" }
      @css.sub(COLOURS) { colours.join }.sub(CLASSES) { classes.join }
    end
  end

  # The page of docs with the table of features between its marks, from each feature.rb.
  class FeatureTable
    ROWS = /(?<=^<!-- features, by bin\/generate -->\n).*?(?=^<!-- end of features -->)/m
    HEAD = "| folder | contents | commands | pages | uses |\n|---|---|---|---|---|\n"

    def initialize(text)
      @text = text
    end

    def call
      rows = Holdup::Features.folders.map { |folder, contents| row(folder, contents) }
      @text.sub(ROWS) { HEAD + rows.join }
    end

    private

    def row(folder, contents)
      lists = [contents.commands.map(&:name), contents.pages.map(&:name), contents.uses]
      "| `#{folder}/` | #{contents.about} | #{lists.map { |names| code(names) }.join(" | ")} |\n"
    end

    def code(names) = names.map { |name| "`#{name}`" }.join(", ")
  end

  # A schema in which every object that has some states has all of them, and one that has sums has all that
  # JSON has.
  class Schema
    NUMBER = {"description" => "sum", "type" => %w[integer null]}.freeze

    def initialize(text)
      @schema = JSON.parse(text)
      @states = Holdup::UnitNumbers::STATES.values.grep(/_ns\z/).map(&:to_s)
      @sums = Holdup::View::Json::SUMS.map(&:to_s)
    end

    def call = "#{JSON.pretty_generate(completed(@schema))}\n"

    private

    def completed(node)
      case node
      when Array then node.map { |item| completed(item) }
      when Hash then with_numbers(node.transform_values { |item| completed(item) })
      else node
      end
    end

    def with_numbers(node)
      properties = node["properties"]
      wanted = wanted(properties)
      return node unless wanted && (wanted - properties.keys).any?
      added = wanted - properties.keys
      node.merge("required" => node["required"] + added,
        "properties" => {**properties, **added.to_h { |name| [name, NUMBER] }})
    end

    # The time that a transaction is open (open_ns) has other parts.
    def wanted(properties)
      return unless properties.is_a?(Hash) && properties.key?("starved_ns") && !properties.key?("open_ns")
      properties.key?("gc_ns") ? @sums : @states
    end
  end
end
