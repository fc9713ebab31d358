# frozen_string_literal: true

module Holdup
  module Servers
    class Sidekiq
      # Finds a key of config/sidekiq.yml with its line, by indentation: a YAML parser tells no lines, and the
      # file may have ERB in it.
      class YamlLines
        KEY = /\A(\s*):?["']?([\w.-]+)["']?:\s*(.*)/

        # @param text [String]
        # @param name [String] of the file, for "name:line"
        def initialize(text, name)
          @text = text
          @name = name
        end

        # @param environment [String] whose section is stronger than the rest
        # @param keys [Array<String>] from the outermost
        # @return [Array<(Integer or nil, String)>] the number, nil for anything else, with "name:line"
        def find(environment, keys)
          [[environment, *keys],
            keys].filter_map { |path| places.reverse.find { |found, *| found == path } }.map { |_, *place|
            place
          }
        end

        private

        def places
          open = []
          @places ||= @text.each_line.with_index(1).filter_map do |line, number|
            match = KEY.match(line) or next
            open.pop while open.any? && open.last.first >= match[1].size
            open.push([match[1].size, match[2]])
            [open.map(&:last), Integer(match[3].sub(/\s*#.*/, "").strip, exception: false),
              "#{@name}:#{number}"]
          end
        end
      end
    end
  end
end
