# frozen_string_literal: true

require "digest"

module Holdup
  class Web
    # The files that pages refer to. Their names have a digest of what is in them, so a browser asks for each
    # only once. Scripts and charts.css are built from assets/ by bin/assets; the built files are in the gem,
    # so nobody who uses it needs Node.
    class Assets
      DIR = File.join(__dir__, "assets")
      TYPES = {".css" => "text/css; charset=utf-8", ".js" => "text/javascript; charset=utf-8",
               ".svg" => "image/svg+xml", ".txt" => "text/plain; charset=utf-8"}.freeze
      FOREVER = "public, max-age=31536000, immutable"

      Asset = Data.define(:type, :body)

      def initialize
        @names = Dir.children(DIR).sort.to_h { |file| [file, hashed(file)] }
        @assets = @names.to_h { |file, name|
          [name, Asset.new(type: TYPES.fetch(File.extname(file)), body: read(file))]
        }
      end

      # @param file [String] "holdup.css"
      # @return [String] "holdup-1a2b3c4d5e6f.css"
      def name(file) = @names.fetch(file)

      # @param name [String]
      # @return [Asset, nil]
      def [](name) = @assets[name]

      private

      def read(file)
        File.read(File.join(DIR, file), encoding: "UTF-8").freeze
      end

      def hashed(file)
        type = File.extname(file)
        "#{File.basename(file, type)}-#{Digest::SHA256.hexdigest(read(file))[0, 12]}#{type}"
      end
    end
  end
end
