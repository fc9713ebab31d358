# frozen_string_literal: true

require "delegate"

module Holdup
  module Advise
    module Rules
      # Settings that can be changed, from the profile in the server's segment.
      class ServerLevers
        # A Lever that a change can be proposed for.
        class KnownLever < DelegateClass(Lever)
          N = /\bN\b/
          PAIR = /\bN, N\b/
          WORD = /\w+/

          # @param line [String, nil] what `where` says now, if it could be read
          # @return [Finding::ProposedChange]
          def with_value(value, line: nil)
            variable = SettingPlace.variable_of(where)
            return proposed("#{variable}=#{value}", self.value && "#{variable}=#{self.value}") if variable
            proposed(replaced(line, value) || written(value), old(line, value))
          end

          private

          def proposed(new, old)
            Finding::ProposedChange.new(new:, old:, where:, how:, facts:)
          end

          def written(value)
            write.gsub(N, value.to_s)
          end

          # A line that says something else is not replaced.
          def old(line, value)
            return self.value && written(self.value) unless line
            line.strip if replaced(line, value) || line[WORD] == write[WORD]
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
            write.match?(PAIR) && text.match(/(\d+), *(\d+)/) { |pair| pair[1].to_i > pair[2].to_i }
          end
        end

        # @param samples [Array<Hash{Symbol => Object}>] of the processes, in time order
        # @param lines [#call] place => its text, or nil
        def initialize(samples, lines: ->(_) {})
          facts = {}
          samples.each { |sample| facts.merge!(sample.select { |key, _| key.start_with?(Lever::PREFIX) }) }
          @levers = Lever.all(facts).transform_values { |lever| KnownLever.new(lever) }
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
          return unless lever&.write
          lever.with_value(value, line: lever.where && @lines.call(lever.where))
        end
      end
    end
  end
end
