# frozen_string_literal: true

module Holdup
  module Advice
    # The line of Rails' config/database.yml that says how many connections a pool may have, and what to make
    # of it: `pool:`, from Rails 8.1 on `max_connections:`, with a number or with a variable of the
    # environment.
    class DatabaseYml
      PATH = "config/database.yml"
      THEN = "then restart"
      LINE = /\A\s*(?:max_connections|pool):\s*(\S.*?)\s*\z/
      NUMBER = /\A["']?\d+["']?(?:\s+#.*)?\z/
      # <%= ENV.fetch("RAILS_MAX_THREADS") { 5 } %> and its like; not with + 1.
      VARIABLE = /\A["']?<%=\s*ENV(?:\.fetch\(|\[)\s*["'](\w+)["'][^-+*\/%]*%>["']?\z/
      # A number that is no part of a name, as Lever#turned sees it.
      DIGITS = /(?<![\w.])\d+(?![\w.])/

      # @param lines [Array<String>] of that file; empty where it can't be read
      # @param size [Integer] of the pool, as it was measured
      def initialize(lines, size:)
        @lines = lines
        @size = size
      end

      # @param wanted [Integer] connections
      # @return [ProposedChange] of the very line, or of the variable in it; without a line that is surely it:
      #   what to write
      def change(wanted)
        unless number
          return ProposedChange.new(new: "max_connections: #{wanted} (before Rails 8.1 pool: #{wanted})",
            where: PATH, rest: THEN)
        end
        return in_environment(wanted) if variable && default != @size
        ProposedChange.new(new: rewritten(wanted), old: text, where: "#{PATH}:#{number + 1}",
          rest: variable ? "#{THEN}; where #{variable} is set, that counts" : THEN)
      end

      private

      # Of several databases or environments the one with that size.
      def number
        @number ||= begin
          found = @lines.each_index.select { |index| LINE.match?(@lines[index]) }
          (found.size > 1) ? found.find { |index| @lines[index][DIGITS].to_i == @size } : found.first
        end
      end

      def text = @lines[number].strip

      def value = LINE.match(@lines[number])[1]

      def variable = value[VARIABLE, 1]

      def default = value[DIGITS]&.to_i

      # The variable has another value than the file has for those without it.
      def in_environment(wanted)
        ProposedChange.new(new: "#{variable}=#{wanted}", old: "#{variable}=#{@size}",
          where: "environment #{variable}", rest: THEN)
      end

      # What is computed can't be changed by a number: then the number stands there instead.
      def rewritten(wanted)
        return text.sub(DIGITS, wanted.to_s) if variable || NUMBER.match?(value)
        "#{text[/\A\w+:/]} #{wanted}"
      end
    end
  end
end
