# frozen_string_literal: true

module Holdup
  class CLI
    # A command's output formats: `--format NAME` or the name alone, and `--out FILE`.
    module Formats
      MEANINGS = {json: "for programs", markdown: "for a pull request or an issue",
                  html: "one file for a browser; name it with --out",
                  pprof: "the table of methods for go tool pprof",
                  firefox: "the same for profiler.firefox.com"}
        .freeze
      # Lines of a terminal with 40, without the prompt's.
      SCREEN_LINES = 39

      # Writes the output to the named file, else to the terminal or the pipe.
      class Destination
        # Formats that a terminal can't show, and the file that they are written to instead.
        UNREADABLE = {html: "holdup.html", pprof: "holdup.pb.gz", perfetto: "holdup.pftrace"}.freeze

        # @param file [String, nil] path
        # @param option [String] that names the file
        # @raise [Error] the file can't be written: said before anything is computed for it
        def initialize(console, file: nil, format: :text, option: "--out")
          @console = console
          @unnamed = UNREADABLE[format] if file.nil? && console.out.tty?
          @file = file || @unnamed
          @option = option
          self.class.check(@file, option) if @file
        end

        # @raise [Error] the file can't be written
        def write(text)
          return @console.show(text) unless @file
          File.write(@file, text)
          @console.err.puts("holdup: written to #{@unnamed}; --out names another file") if @unnamed
        rescue SystemCallError => error
          raise if @file.nil?
          self.class.refuse(@file, @option, error)
        end

        # Commands that compute for a while before they write check this first.
        # @raise [Error] the file can't be written
        def self.check(file, option = "--out")
          folder = File.dirname(file)
          raise Errno::EISDIR if File.directory?(file)
          raise Errno::ENOENT unless File.directory?(folder)
          raise Errno::EACCES unless File.writable?(File.exist?(file) ? file : folder)
        rescue SystemCallError => error
          refuse(file, option, error)
        end

        def self.refuse(file, option, error)
          raise Error.new("#{file} can't be written (#{error.message})", "name another with #{option}")
        end
      end

      # One format is chosen, by `--format` or by its own option.
      module OneFormat
        # @raise [UsageError] another format was chosen before
        def add(earlier, name)
          return name if [nil, name].include?(earlier)
          raise UsageError.new("--#{earlier} and --#{name} can't be combined", "leave out one of them")
        end
      end

      FormatChoice = Data.define(:known) do
        include OneFormat

        def read(option, text, _now_s) = Queries::OptionValues.choice(option, text, known)

        def schema = {type: "string", enum: known.map(&:to_s)}
      end

      FormatSwitch = Data.define(:format) do
        include OneFormat

        def read(_option, _text, _now_s) = format

        def schema = {type: "boolean"}
      end

      # The options of a command whose text fits on one screen by default.
      SCREEN_OPTIONS = [
        Queries::Option.switch("--full", "everything, not only one screen"),
        Queries::Option.switch("--wide", "cut no name, however wide a table is")
      ].freeze

      module_function

      # @param known [Array<Symbol>] :text and some of MEANINGS
      # @return [Array<Queries::Option>] `--format`, and an option for each of them
      def options(known)
        format = Queries::Option.declare("--format FORMAT", FormatChoice.new(known), known.join(", "),
          default: :text)
        [format, *names(known - %i[text])]
      end

      # @param known [Array<Symbol>] some of MEANINGS
      # @return [Array<Queries::Option>] an option for each of them
      def names(known)
        known.map do |name|
          Queries::Option.declare("--#{name}", FormatSwitch.new(name), MEANINGS.fetch(name), key: :format)
        end
      end

      # @param format [Symbol] :markdown, :html, else text
      # @param wide [Boolean] whether a text cuts no name
      # @return [String] a page in this format
      def render(page, format:, console:, words:, wide: false)
        case format
        when :markdown then View::Markdown.new(page).call
        when :html then View::Html.of(page, words:).call
        else View::Text.new(page, **console.layout(wide:)).call
        end
      end

      # @param screen [#spare, #page] a page, and how many of its sentences can be left out
      # @param wide [Boolean] whether it cuts no name
      # @return [String] its fullest text that a terminal shows without scrolling
      def screen(screen, console:, wide: false)
        texts = screen.spare.downto(0).lazy.map do |kept|
          View::Text.new(screen.page(kept), **console.layout(wide:)).call
        end
        texts.find { |text| text.lines.size <= SCREEN_LINES } || texts.to_a.last
      end
    end
  end
end
