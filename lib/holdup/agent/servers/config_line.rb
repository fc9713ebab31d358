# frozen_string_literal: true

require_relative "../../model/utf8"

module Holdup
  module Servers
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
