# frozen_string_literal: true

require_relative "../capture/archive"
require_relative "../reports/timeline"
require_relative "../reports/timeline_story"
require_relative "../reports/words"
require_relative "../timeline"
require_relative "options"
require_relative "places"

module Holdup
  class CLI
    # Tells what happened in a capture, or in one unit of it.
    class Timeline
      UNIT = /\A(slowest|caught|\d{1,9})\z/

      def self.options(_console)
        Options.new("holdup timeline FILE [options]", rest: :files, mixed: true) do |parser, values|
          parser.on("--unit ID", "the story of one unit: its id, slowest, or caught,", "the one that `holdup capture --until` ended with") { |text| values[:unit] = unit(text) }
          parser.on("--lang LANG", "en or ja") { |text| values[:language] = text }
        end
      end

      def self.unit(text)
        return text if UNIT.match?(text)
        raise UsageError.new("--unit can't be #{text[0, 100].inspect}", "it takes an id from the table of units, slowest or caught")
      end
      private_class_method :unit

      # @param console [Console]
      # @param files [Array<String>] the one file
      # @param unit [String, nil] id, or "slowest"
      # @param language [String, nil]
      # @raise [UsageError]
      def initialize(console:, files: [], unit: nil, language: nil)
        raise UsageError.new("timeline takes one file, got #{files.size}", "`holdup capture` makes one") unless files.size == 1
        @console = console
        @file = files.first
        @unit = unit
        @words = Reports::Words.new(language || Places.language(console.env))
      end

      # @return [Integer] exit status
      # @raise [Error] it can't be read, or there is no such unit
      def run
        @console.out.write((@unit ? story : overview).call)
        OK
      end

      private

      def scene = @scene ||= Holdup::Timeline::Scene.new(read)

      def read
        Holdup::Capture::Archive.read(@file)
      rescue SystemCallError => error
        raise Error.new("#{@file} can't be read (#{error.message})", "give a file that `holdup capture` made")
      end

      def layout = Reports::Layout.new(width: @console.width(120), style: Reports::Style.for(@console.out, @console.env))

      def overview
        Reports::Timeline.new(scene, holders: Holdup::Timeline::Holders.new(scene), patterns: Holdup::Timeline::Patterns.new(scene).call,
          words: @words, layout:)
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
        named || raise(Error.new("there is no unit #{@unit} in this capture", "`holdup timeline #{@file}` lists those that waited longest"))
      end
    end
  end
end
