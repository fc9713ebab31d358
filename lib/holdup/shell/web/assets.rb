# frozen_string_literal: true

require "digest"

module Holdup
  class Web
    # The static files of pages. Their names contain a digest of the content, so a browser requests each only
    # once. bin/assets builds scripts and charts.css from assets/; the gem contains the built files, so users
    # need no Node.
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
