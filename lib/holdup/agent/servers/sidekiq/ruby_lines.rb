# frozen_string_literal: true

module Holdup
  module Servers
    class Sidekiq
      # Finds an assignment to a capsule in Ruby files, by their lines and indentation:
      #
      #   config.concurrency = 5                    # of "default"
      #   config.capsule("single") do |capsule|
      #     capsule.concurrency = 1                 # of "single"
      #   end
      class RubyLines
        CAPSULE = /\A(\s*).*(?:\bcapsule\(\s*[:"']([^"')]+)["']?\s*\)|\b(default)_capsule\b)/
        # The block ends on the line on which it begins.
        CLOSED = /\}\s*\z|\bend\s*\z/
        DEFAULT = "default"
        COMMENT = /\A\s*#/

        # @param files [Hash{String => String}] text by relative path
        def initialize(files)
          @files = files.select { |_, text| text.include?("idekiq") }
        end

        # @param capsule [String]
        # @param setting [String] concurrency, thread_priority
        # @return [Array<(Integer or nil, String)>] the number, nil for an expression, with "file:line"; the
        #   last line first
        def find(capsule, setting)
          @files.flat_map { |file, text|
            lines(text, capsule,
              setting).map { |value, line| [value, "#{file}:#{line}"] }
          }.reverse
        end

        private

        def lines(text, wanted, setting)
          assignment = /\.#{setting}\s*=\s*(-?\d+\b\s*(?=$|[#;}]|if|unless|end))?/
          each_with_capsule(text).filter_map do |line, number, capsule|
            [Regexp.last_match(1)&.to_i, number] if capsule == wanted && assignment.match(line)
          end
        end

        # @return [Array<(String, Integer, String)>] each line of code, its number, whose block it stands in
        def each_with_capsule(text)
          block = nil
          text.each_line.with_index(1).filter_map do |line, number|
            next if COMMENT.match?(line)
            block = nil if block && line.match?(/\A#{block.first}(?:end|\})/)
            opened = block_of(line)
            block = opened if opened && !CLOSED.match?(line)
            [line, number, (opened || block)&.last || DEFAULT]
          end
        end

        def block_of(line)
          match = CAPSULE.match(line)
          [match[1], match[2] || match[3]] if match
        end
      end
    end
  end
end
