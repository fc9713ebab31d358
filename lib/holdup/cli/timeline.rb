# frozen_string_literal: true

require_relative "../capture/archive"
require_relative "../inquiry/values"
require_relative "../reports/kept_captures"
require_relative "../reports/timeline"
require_relative "../reports/timeline_story"
require_relative "../reports/width"
require_relative "../reports/words"
require_relative "../timeline"
require_relative "../timeline/export"
require_relative "destination"
require_relative "options"
require_relative "places"

module Holdup
  class CLI
    # Tells what happened in a capture, or in one unit of it, or hands it over to another viewer; or which captures are kept.
    class Timeline
      UNIT = /\A(slowest|caught|\d{1,9})\z/
      EXPORTS = Holdup::Timeline::Export::FORMATS.keys

      def self.options(_console)
        Options.new("holdup timeline [FILE|ID] [options]", rest: :files, mixed: true) do |parser, values|
          parser.on("--unit ID", "the story of one unit: its id, slowest, or caught,", "the one beyond the rule that it was taken for") { |text| values[:unit] = unit(text) }
          parser.on("--export FORMAT", "all of it for another viewer, or for programs:", EXPORTS.join(", ")) { |text| values[:export] = Inquiry::Values.choice("--export", text, EXPORTS) }
          parser.on("--out FILE", "write the export there") { |text| values[:out] = text }
          parser.on("--store URL", "beside which captures are kept ($HOLDUP_STORE)") { |text| values[:store] = text }
          parser.on("--lang LANG", "en or ja") { |text| values[:language] = text }
        end
      end

      def self.unit(text)
        return text if UNIT.match?(text)
        raise UsageError.new("--unit can't be #{text[0, 100].inspect}", "it takes an id from the table of units, slowest or caught")
      end
      private_class_method :unit

      # @param console [Console]
      # @param files [Array<String>] the one file, or id of one that is kept; none: those that are kept are listed
      # @param unit [String, nil] id, or "slowest"
      # @param export [Symbol, nil] one of EXPORTS
      # @param out [String, nil] file that the export is written to
      # @param store [String, nil]
      # @param language [String, nil]
      # @raise [UsageError]
      def initialize(console:, files: [], unit: nil, export: nil, out: nil, store: nil, language: nil)
        raise UsageError.new("timeline takes one file, got #{files.size}", "`holdup capture` makes one") if files.size > 1 || (files.empty? && (unit || export))
        check(unit, export, out)
        @console = console
        @archive = Holdup::Capture::Archive.new(Places.captures(console.env, store))
        @file = files.first
        @unit = unit
        @export = export
        @destination = Destination.new(console, file: out, format: export || :text)
        @words = Reports::Words.new(language || Places.language(console.env))
      end

      # @return [Integer] exit status
      # @raise [Error] it can't be read, or there is no such unit
      def run
        @destination.write(text)
        OK
      end

      private

      def check(unit, export, out)
        raise UsageError.new("--unit can't be combined with --export", "the export has all units") if unit && export
        raise UsageError.new("--out needs --export", "it takes #{EXPORTS.join(", ")}") if out && !export
      end

      def text
        return Reports::KeptCaptures.new(@archive.kept, words: @words, layout:).call unless @file
        return exported if @export
        (@unit ? story : overview).call
      end

      # JSON leaves some characters that a terminal would obey.
      def exported
        told = Holdup::Timeline::Export.call(scene, @export)
        Holdup::Timeline::Export::BINARY.key?(@export) ? told : "#{Reports::Width.clean(told)}\n"
      end

      def scene = @scene ||= Holdup::Timeline::Scene.new(read)

      def read
        Holdup::Capture::Archive.read(File.exist?(@file) ? @file : @archive.find(@file)&.path || @file)
      rescue SystemCallError => error
        raise Error.new("#{@file[0, 200].inspect} can't be read (#{error.message})", "give a file that `holdup capture` made, or an id that `holdup timeline` lists")
      end

      def layout = Reports::Layout.new(**@console.layout(120))

      def overview
        Reports::Timeline.new(scene, holders: Holdup::Timeline::Holders.new(scene), patterns: Holdup::Timeline::Patterns.new(scene).call,
          methods: Holdup::Timeline::Methods.new(scene).call, words: @words, layout:)
      end

      def story
        unit = find
        Reports::TimelineStory.new(scene, unit, story: Holdup::Timeline::Story.new(scene, unit), words: @words, layout:)
      end

      def named
        case @unit
        when "slowest" then scene.whole_units.max_by { |unit| unit.to - unit.from }
        when "caught" then scene.caught
        else scene.units.find { |unit| unit.id == @unit.to_i }
        end
      end

      def find
        named || raise(UsageError.new("there is no unit #{@unit} in this capture", "`holdup timeline #{@file}` lists those that waited longest"))
      end
    end
  end
end
