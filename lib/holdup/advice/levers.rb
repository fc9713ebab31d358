# frozen_string_literal: true

module Holdup
  module Advice
    # What can be turned, in the words of the very server that was measured: what its segment's profile said.
    class Levers
      # Seen as in the process; `how` has N where the value goes.
      Lever = Data.define(:name, :value, :how, :where) do
        # @param value [Integer]
        # @return [String] "threads 3, 3, then restart (SIGUSR2 to the master)"
        def line(value) = how.gsub(/\bN\b/, value.to_s)
      end

      FACT = /\Alever\.(.+)\.(value|how|where)\z/

      # @param samples [Array<Hash{Symbol => Object}>] of the processes, in time order
      def initialize(samples)
        facts = samples.each_with_object({}) { |sample, all| all.merge!(sample.select { |key, _| key.start_with?("lever.") }) }
        @levers = facts.keys.filter_map { |key| FACT.match(key.to_s)&.[](1) }.uniq.to_h { |name| [name, lever(name, facts)] }
      end

      # @param names [Array<String>] the first that there is
      # @return [Lever, nil]
      def [](*names) = names.filter_map { |name| @levers[name] }.first

      # @param name [String]
      # @param value [Integer]
      # @return [Hash{Symbol => String}] change and where, for a Finding; empty when the server has no such lever
      def change(*names, value)
        lever = self[*names]
        lever&.how ? {change: lever.line(value), where: lever.where} : {}
      end

      private

      def lever(name, facts) = Lever.new(name:, **%i[value how where].to_h { |key| [key, facts[:"lever.#{name}.#{key}"]] })
    end
  end
end
