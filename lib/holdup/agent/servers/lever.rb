# frozen_string_literal: true

require_relative "../../model/utf8"

module Holdup
  module Servers
    # A server's setting that a user can change, and how.
    #
    # - `name`: threads, processes, concurrency, max_io_threads, time_slice ...; `value`: what it is now
    # - `live`: whether it can change without a restart
    # - `how`: what to write or call, in the server's words
    # - `where`: "config/puma.rb:12"; nil: not found
    Lever = Data.define(:name, :value, :live, :how, :where) do
      def initialize(name:, value:, how:, live: false, where: nil)
        super
      end

      # Flat, for a segment's profile.
      def facts
        known = {"value" => value, "live" => live, "how" => how, "where" => where}.compact
        known.transform_keys { |key| "lever.#{name}.#{key}" }
      end
    end

    # The configuration line of a setting, so that advice can name it. Searched at the start of lines; the
    # last one counts, as for the server. A value set by other Ruby code is not found.
    #
    # - `place`: "config/unicorn.rb:12", relative to the working directory where that is shorter
    # - `value`: the text after the setting's name, without a comment or a condition
    ConfigLine = Data.define(:place, :value) do
      def self.find(path, word)
        return unless path && File.file?(path)
        setting = /\A\s*#{Regexp.escape(word)}\b[ (]*(.*?)\)?(?:\s+(?:if|unless)\s.*)?\s*(?:#.*)?\Z/
        lines = File.readlines(path, encoding: "UTF-8").map(&:scrub)
        index = lines.rindex { |line| line.match?(setting) } or return
        file = Utf8.of(path.b.delete_prefix("#{Dir.pwd}/".b))
        new(place: "#{file}:#{index + 1}", value: lines[index][setting, 1])
      end
    end
  end
end
