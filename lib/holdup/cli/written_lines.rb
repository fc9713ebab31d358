# frozen_string_literal: true

module Holdup
  class CLI
    # The line that a server named as the place of a setting, as it stands in the folder that the command is
    # run in, and files that all applications have. What a store says is not trusted: only files below that
    # folder, and one short line of them.
    class WrittenLines
      PLACE = /\A([^:]+):(\d{1,6})\z/
      LONGEST = 200
      MOST = 2000

      # @param root [String]
      def initialize(root: Dir.pwd)
        @root = File.realpath(root)
      end

      # @param place [String] "config/puma.rb:12"
      # @return [String, nil]
      def call(place)
        match = PLACE.match(place) or return
        file = inside(match[1]) or return
        line = File.foreach(file, encoding: "UTF-8").lazy.drop(match[2].to_i - 1).first
        line.scrub.chomp if line && line.size <= LONGEST
      rescue SystemCallError, ArgumentError # line 0
        nil
      end

      # @param path [String] below the folder
      # @return [Array<String>] its lines; none where it can't be read
      def all(path)
        File.foreach(inside(path) || File::NULL, encoding: "UTF-8").first(MOST).map { |line| line.scrub.chomp }
      rescue SystemCallError
        []
      end

      private

      def inside(path)
        file = File.realpath(path, @root)
        file if file.start_with?("#{@root}/") && File.file?(file)
      end
    end
  end
end
