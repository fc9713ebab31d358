# frozen_string_literal: true

module Holdup
  module Captures
    # Shows what happened in a capture or in one of its requests or jobs, exports it for another viewer, or
    # lists the saved captures.
    class TimelineCommand
      UNIT = /\A(slowest|caught|\d{1,9})\z/
      EXPORTS = TraceFormats::FORMATS.keys

      extend CLI::CommandArguments

      # An id of a request or job, slowest or caught.
      UnitType = Data.define do
        include Queries::OptionTypes::Plain

        def read(option, text, _now_s)
          return text if UNIT.match?(text)
          raise UsageError.new("#{option} can't be #{text[0, 100].inspect}",
            "it takes an id from the table of requests and jobs, slowest or caught")
        end
      end

      OPTIONS = CLI::Options.new("holdup timeline [FILE|ID] [options]", [
        Queries::Option.declare("--unit ID", UnitType.new,
          "the story of one request or job: its id, slowest,",
          "or caught: the one that met the rule of the capture"),
        *CLI::Formats::SCREEN_OPTIONS,
        Queries::Option.choice("--export FORMAT", EXPORTS, "all of it for another viewer, or for programs:",
          EXPORTS.join(", ")),
        CLI::Options::OUT.with(help: ["write the export there"]),
        CLI::Options::STORE.with(help: ["captures are next to it ($HOLDUP_STORE)"]),
        CLI::Options::LANGUAGE
      ], rest: :files, mixed: true)

      # @param files [Array<String>] one file, or the id of a saved capture; empty: lists the saved captures
      # @param unit [String, nil] id, or "slowest"
      # @param full [Boolean] whether a capture is shown with all its tables' rows, a story with all periods
      # @param wide [Boolean] whether no name is cut
      # @param export [Symbol, nil] one of EXPORTS
      # @param out [String, nil] file that the export is written to
      # @raise [UsageError]
      def initialize(console:, files: [], unit: nil, export: nil, full: false, wide: false, out: nil,
        store: nil, language: nil)
        if files.size > 1 || (files.empty? && (unit || export))
          raise UsageError.new("timeline takes one file, got #{files.size}", "`holdup capture` makes one")
        end
        check(unit, export, out)
        @console = console
        @file = files.first
        @store = store
        @unit = unit
        @full = full
        @wide = wide
        @export = export
        @destination = CLI::Formats::Destination.new(console, file: out, format: export || :text)
        @words = View::Words.new(language || CLI::Places.language(console.env))
      end

      # @raise [Error] the file can't be read, or has no such request or job
      def run
        @destination.write(text)
        CLI::OK
      end

      private

      def check(unit, export, out)
        if unit && export
          raise UsageError.new("--unit can't be combined with --export",
            "the export has all requests and jobs")
        end
        raise UsageError.new("--out needs --export", "it takes #{EXPORTS.join(", ")}") if out && !export
      end

      def text
        return exported if @file && @export
        return screen unless @full || @file.nil?
        CLI::Formats.render(page, format: :text, console: @console, words: @words, wide: @wide)
      end

      def screen
        shown = @unit ? story : overview(rows: TimelineReport::FEW_ROWS, source:)
        CLI::Formats.screen(shown, console: @console, wide: @wide)
      end

      # What the next commands begin with.
      def source
        @store ? [@file, "--store=#{Holdup::Store.redact(@store)}"] : [@file]
      end

      def page
        return TimelineReport::KeptCaptures.new(archive.kept, words: @words).page unless @file
        @unit ? story.whole : overview.page
      end

      # JSON does not escape every terminal control character.
      def exported
        trace = TraceFormats.call(scene, @export)
        TraceFormats::BINARY.key?(@export) ? trace : "#{View::Width.clean(trace)}\n"
      end

      def archive = CLI::Places.archive(@console.env, @store)

      def scene
        @scene ||= Timeline::Scene.new(read)
      end

      def read
        path = File.exist?(@file) ? @file : archive.find(@file)&.path || @file
        Holdup::Capture::Archive.read(path)
      rescue SystemCallError => error
        raise Error.new("#{@file[0, 200].inspect} can't be read (#{error.message})",
          "give a file that `holdup capture` made, or an id that `holdup timeline` lists")
      end

      def overview(rows: TimelineReport::ROWS, source: [])
        TimelineReport.new(
          scene,
          rows:,
          source:,
          holders: Timeline::HolderTable.new(scene),
          patterns: Timeline::Patterns.new(scene).call,
          methods: Timeline::StackShares::MethodTable.new(scene).call,
          words: @words
        )
      end

      def story
        unit = find
        TimelineStory.new(scene, unit, story: Timeline::UnitStory.new(scene, unit),
          words: @words)
      end

      def named
        case @unit
        when "slowest" then scene.whole_units.max_by { |unit| unit.to - unit.from }
        when "caught" then scene.caught
        else scene.units.find { |unit| unit.id == @unit.to_i }
        end
      end

      def find
        unit = named
        return unit if unit
        raise UsageError.new("this capture has no request or job #{@unit}",
          "`holdup timeline #{@file}` lists those that waited longest")
      end
    end
  end
end
