# frozen_string_literal: true

require_relative "../../model/utf8"

module Holdup
  module Servers
    # Something of a server that a person can turn, and what turning it takes.
    #
    # - `name`: threads, processes, concurrency, max_io_threads, time_slice ...; `value`: what it is now
    # - `live`: whether it can be changed while the server runs, else at its restart
    # - `how`: what to write or call, with the server's own words
    # - `where`: "config/puma.rb:12" where it is written now; nil when that was not found
    Lever = Data.define(:name, :value, :live, :how, :where) do
      def initialize(name:, value:, how:, live: false, where: nil)
        super
      end

      # @return [Hash{String => Object}] flat, for the profile of a segment
      def facts
        {"value" => value, "live" => live, "how" => how, "where" => where}
          .reject { |_, fact| fact.nil? }.transform_keys { |key| "lever.#{name}.#{key}" }
      end
    end

    # Where a user has written a setting, so that advice can name the line to change. It looks for the word at
    # the start of a line and takes the last one, as the server does; what is set by other Ruby code is not
    # found.
    #
    # - `place`: "config/unicorn.rb:12", relative to the working directory where that is shorter
    # - `value`: what is written behind the word, without a comment or a condition
    ConfigLine = Data.define(:place, :value) do
      # @param path [String, nil] of the configuration file
      # @param word [String] the setting's name in it
      # @return [ConfigLine, nil] nil when it is not there
      def self.find(path, word)
        return unless path && File.file?(path)
        setting = /\A\s*#{Regexp.escape(word)}\b[ (]*(.*?)\)?(?:\s+(?:if|unless)\s.*)?\s*(?:#.*)?\Z/
        written = File.foreach(path,
          encoding: "UTF-8").map(&:scrub).each.with_index(1).filter_map { |line, number|
          [number, line[setting, 1]] if line.match?(setting)
        }
        number, value = written.last
        new(place: "#{Utf8.of(path.b.delete_prefix("#{Dir.pwd}/".b))}:#{number}", value:) if number
      end
    end
  end
end
