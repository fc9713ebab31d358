# frozen_string_literal: true

require "digest"

module Holdup
  class Web
    # The files that pages refer to. Their names have a digest of what is in them, so a browser asks for each
    # only once. Scripts and charts.css are built from assets/ by bin/assets; the built files are in the gem,
    # so nobody who uses it needs Node.
    class Assets
      DIR = File.join(__dir__, "assets")
      DIRS = [View::Html::ASSETS, DIR].freeze
      TYPES = {".css" => "text/css; charset=utf-8", ".js" => "text/javascript; charset=utf-8",
               ".svg" => "image/svg+xml", ".txt" => "text/plain; charset=utf-8"}.freeze
      FOREVER = "public, max-age=31536000, immutable"

      Asset = Data.define(:type, :body)

      def initialize
        @names = {}
        @assets = {}
        DIRS.flat_map { |dir| Dir["#{dir}/*"] }.each { |path| add(path) }
      end

      # @param file [String] "holdup.css"
      # @return [String] "holdup-1a2b3c4d5e6f.css"
      def name(file) = @names.fetch(file)

      # @param name [String]
      # @return [Asset, nil]
      def [](name) = @assets[name]

      private

      def add(path)
        type = File.extname(path)
        body = File.read(path, encoding: "UTF-8").freeze
        name = "#{File.basename(path, type)}-#{Digest::SHA256.hexdigest(body)[0, 12]}#{type}"
        @names[File.basename(path)] = name
        @assets[name] = Asset.new(type: TYPES.fetch(type), body:)
      end
    end
  end
end
