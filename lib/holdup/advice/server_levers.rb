# frozen_string_literal: true

module Holdup
  module Advice
    # Settings that can be changed, from the profile in the server's segment.
    class ServerLevers
      # `name` and `value` as the process has them; `how`: the text to write, with N for the value, then what
      # else to do; `where`: the place it is written.
      KnownLever = Data.define(:name, :value, :how, :where) do
        # @param line [String, nil] what `where` says now, if it could be read
        def with_value(value, line: nil)
          return in_environment($1, value) if /\Aenvironment (\w+)\z/ =~ where.to_s
          new = replaced(line, value) || written(value)
          Finding::ProposedChange.new(new:, old: old(line, value), where:, rest:)
        end

        private

        def code
          how[self.class::CODE] || how
        end

        def written(value)
          code.gsub(self.class::N, value.to_s)
        end

        def rest
          how.delete_prefix(code)[/[^\s,;].*/m]&.gsub(self.class::N, "N")
        end

        # A line that says something else is not replaced.
        def old(line, value)
          return self.value && written(self.value) unless line
          line.strip if replaced(line, value) || line[self.class::WORD] == code[self.class::WORD]
        end

        # A line keeps the rest when only its number changes: ENV.fetch("THREADS", 5).
        def replaced(line, value)
          now = /(?<![\w.])#{Regexp.escape(self.value.to_s)}(?![\w.])/
          return unless line && self.value && line.match?(now)
          text = line.strip.gsub(now, value.to_s)
          text unless minimum_above_maximum?(text)
        end

        # threads 4, 2
        def minimum_above_maximum?(text)
          code.match?(self.class::PAIR) && text.match(/(\d+), *(\d+)/) { |pair| pair[1].to_i > pair[2].to_i }
        end

        def in_environment(variable, value)
          old = self.value && "#{variable}=#{self.value}"
          Finding::ProposedChange.new(new: "#{variable}=#{value}", old:, where:, rest:)
        end
      end

      KnownLever::CODE = /\A.*?\bN\b(?:, N\b|\S*[^\s,;])?/
      KnownLever::N = /\bN\b/
      KnownLever::PAIR = /\bN, N\b/
      KnownLever::WORD = /\w+/
      FACT = /\Alever\.(.+)\.(value|how|where)\z/

      # @param samples [Array<Hash{Symbol => Object}>] of the processes, in time order
      # @param lines [#call] place => its text, or nil
      def initialize(samples, lines: ->(_) {})
        facts = {}
        samples.each { |sample| facts.merge!(sample.select { |key, _| key.start_with?("lever.") }) }
        names = facts.keys.filter_map { |key| key[FACT, 1] }.uniq
        @levers = names.to_h { |name| [name, lever(name, facts)] }
        @lines = lines
      end

      # @return [KnownLever, nil] the first one that exists
      def [](*names)
        names.filter_map { |name| @levers[name] }.first
      end

      def to_a = @levers.values

      # @return [Finding::ProposedChange, nil] nil if the server has no such lever
      def change(*names, value)
        lever = self[*names]
        return unless lever&.how
        lever.with_value(value, line: lever.where && @lines.call(lever.where))
      end

      private

      def lever(name, facts)
        KnownLever.new(name:, value: facts[:"lever.#{name}.value"], how: facts[:"lever.#{name}.how"],
          where: facts[:"lever.#{name}.where"])
      end
    end
  end
end
