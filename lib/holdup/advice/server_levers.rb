# frozen_string_literal: true

module Holdup
  module Advice
    # What can be turned, in the words of the very server that was measured: what its segment's profile said.
    class ServerLevers
      # Seen as in the process; `how` has N where the value goes, at the end of what is to be written.
      KnownLever = Data.define(:name, :value, :how, :where) do
        # @param value [Integer]
        # @param line [String, nil] what stands at `where`, for who can read it
        # @return [ProposedChange]
        def to(value, line: nil)
          return variable($1, value) if /\Aenvironment (\w+)\z/ =~ where.to_s
          ProposedChange.new(new: turned(line, value) || written(value), old: old(line, value), where:, rest:)
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

        # A line that can be read and says something else is no line to put this in the place of.
        def old(line, value)
          return self.value && written(self.value) unless line
          line.strip if turned(line, value) || line[self.class::WORD] == code[self.class::WORD]
        end

        # A line of which only the number has to change keeps all the rest: ENV.fetch("THREADS", 5).
        def turned(line, value)
          now = /(?<![\w.])#{Regexp.escape(self.value.to_s)}(?![\w.])/
          return unless line && self.value && line.match?(now)
          line.strip.gsub(now, value.to_s).then { |text| text unless crossed?(text) }
        end

        # threads 4, 2: the least is more than the most.
        def crossed?(text)
          code.match?(self.class::PAIR) && text.match(/(\d+), *(\d+)/) { |pair| pair[1].to_i > pair[2].to_i }
        end

        def variable(name, value)
          ProposedChange.new(new: "#{name}=#{value}", old: self.value && "#{name}=#{self.value}", where:,
            rest:)
        end
      end

      KnownLever::CODE = /\A.*?\bN\b(?:, N\b|\S*[^\s,;])?/
      KnownLever::N = /\bN\b/
      KnownLever::PAIR = /\bN, N\b/
      KnownLever::WORD = /\w+/
      FACT = /\Alever\.(.+)\.(value|how|where)\z/

      # @param samples [Array<Hash{Symbol => Object}>] of the processes, in time order
      # @param lines [#call] place => the text that stands there, or nil
      def initialize(samples, lines: ->(_) {})
        facts = samples.each_with_object({}) { |sample, all|
          all.merge!(sample.select { |key, _| key.start_with?("lever.") })
        }
        @levers = facts.keys.filter_map { |key| FACT.match(key.to_s)&.[](1) }.uniq.to_h { |name|
          [name, lever(name, facts)]
        }
        @lines = lines
      end

      # @param names [Array<String>] the first that there is
      # @return [KnownLever, nil]
      def [](*names)
        names.filter_map { |name| @levers[name] }.first
      end

      # @return [Array<KnownLever>]
      def to_a = @levers.values

      # @param names [Array<String>]
      # @param value [Integer]
      # @return [ProposedChange, nil] nil when the server has no such lever
      def change(*names, value)
        lever = self[*names]
        lever.to(value, line: lever.where && @lines.call(lever.where)) if lever&.how
      end

      private

      def lever(name, facts)
        KnownLever.new(name:, **%i[value how where].to_h { |key| [key, facts[:"lever.#{name}.#{key}"]] })
      end
    end
  end
end
