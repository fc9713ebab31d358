# frozen_string_literal: true

require "fileutils"
require "holdup/loader"
require "shellwords"
require "stringio"
require "zlib"

# The walkthroughs of docs/stories. Each shows commands with their output, on recordings that are kept in
# test/fixtures. Here the commands are run, and the outputs of a page are replaced by what they print.
module Stories
  ROOT = File.expand_path("../..", __dir__)
  PAGES = Dir[File.join(ROOT, "docs/stories/*.md")].sort.freeze
  # Where pages say that the recordings are.
  FOLDER = "tmp/stories"
  RECORDINGS = %w[demo storefront calm starved night vcpus yjit upgrade].freeze
  # Those that `bin/stories --record NAME` makes anew.
  RECORDED_HERE = {
    "vcpus" => :VcpusDoubled, "yjit" => :YjitOn, "upgrade" => :RubyUpgrade,
    "storefront" => :Shop, "calm" => :Shop, "starved" => :Shop,
    "night" => :KilledAtNight
  }.freeze

  autoload :KilledAtNight, File.join(__dir__, "stories/killed_at_night")
  autoload :RubyUpgrade, File.join(__dir__, "stories/ruby_upgrade")
  autoload :Shop, File.join(__dir__, "stories/shop")
  autoload :Uncontained, File.join(__dir__, "stories/container")
  autoload :VcpusDoubled, File.join(__dir__, "stories/vcpus_doubled")
  autoload :WorkerWatchdog, File.join(__dir__, "stories/worker_watchdog")
  autoload :YjitOn, File.join(__dir__, "stories/yjit_on")

  class << self
    # @param argv [Array<String>] nothing, --write, or --record NAME
    # @return [Boolean] whether each page shows what its commands print
    def main(argv)
      return record(argv[1]) if argv.first == "--record"
      folder = File.join(ROOT, FOLDER)
      stale = PAGES.reject do |page|
        unpack(folder) # `holdup advise --verify` stores what it finds, and corrects later advice by it
        text = Page.new(page, folder).call
        current = text == File.read(page)
        File.write(page, text) if argv.include?("--write")
        current
      end
      stale.each { |page| warn "#{page.delete_prefix("#{ROOT}/")}: its commands print something else" }
      stale.empty? || argv.include?("--write")
    end

    # @param name [String] of RECORDED_HERE
    # @return [Boolean] whether it is one
    def record(name)
      constant = RECORDED_HERE.fetch(name) do
        warn "bin/stories records #{RECORDED_HERE.keys.join(", ")}, not #{name.inspect}"
        return false
      end
      const_get(constant).record(kept(name))
      true
    end

    # @param name [String] of a recording
    # @return [String] its file
    def kept(name) = File.join(ROOT, "test/fixtures/#{name}.sqlite3.gz")

    # @param folder [String] gets a store for each recording
    # @return [void]
    def unpack(folder)
      FileUtils.rm_rf(folder)
      FileUtils.mkdir_p(folder)
      RECORDINGS.each do |name|
        store = File.join(folder, "#{name}.sqlite3")
        Zlib::GzipReader.open(kept(name)) { |file| IO.copy_stream(file, store) }
        Holdup::Store.open(store).tap(&:migrate!).close
      end
    end
  end

  # One page. A block of code that begins with "$ holdup" is a command and its output; its command may go on
  # in the next line after a backslash, and may end in "| head -N" or "| sed -n 'A,Bp'". Lines that begin with
  # "export" set variables for the commands below them.
  class Page
    BLOCK = /^```\n(\$ holdup (?:[^\n]*\\\n)*[^\n]*\n)(.*?)^```$|^export (\w+)=(\S+)$/m
    # A terminal as most people have it, in a time zone that is the same for all.
    ENVIRONMENT = {"HOME" => "/nonexistent", "COLUMNS" => "80"}.freeze
    ZONE = "UTC"
    LANGUAGES = {".ja.md" => "ja_JP.UTF-8"}.freeze

    # @param path [String] of the page
    # @param folder [String] where the recordings are
    def initialize(path, folder)
      @path = path
      @folder = folder
      language = LANGUAGES.find { |ending, _| path.end_with?(ending) }&.last
      @env = {**ENVIRONMENT, "LANG" => language || "en_US.UTF-8"}
    end

    # @return [String] the page as it should be
    def call
      in_zone { File.read(@path).gsub(BLOCK) { ($3) ? exported($&, $3, $4) : shown($1) } }
    end

    # @param typed [String] "holdup report | head -20", perhaps over several lines
    # @return [String] what it prints
    def output(typed)
      command, filter = typed.gsub("\\\n", " ").split(" | ", 2)
      out = StringIO.new
      console = Holdup::CLI::Console.new(out:, err: out, env: @env, clock: Holdup::Clock.new)
      arguments = Shellwords.split(command).drop(1).map { |word| word.gsub(FOLDER, @folder) }
      Holdup::CLI.new(console:).run(arguments)
      filtered(out.string.gsub(@folder, FOLDER).lines, filter&.strip).join
    end

    private

    def exported(line, name, value)
      @env[name] = value.gsub(FOLDER, @folder)
      line
    end

    def shown(typed) = "```\n#{typed}#{output(typed.delete_prefix("$ ").chomp)}```"

    def filtered(lines, filter)
      case filter
      when nil then lines
      when /\Ahead -(\d+)\z/ then lines.first($1.to_i)
      when /\Ased -n '(\d+),(\d+)p'\z/ then lines[($1.to_i - 1)..($2.to_i - 1)]
      else raise ArgumentError, "a story has no filter #{filter}"
      end
    end

    def in_zone
      before = ENV["TZ"]
      ENV["TZ"] = ZONE
      yield
    ensure
      ENV["TZ"] = before
    end
  end
end
