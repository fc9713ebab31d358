# frozen_string_literal: true

require_relative "../lever"

module Holdup
  module Servers
    class Sidekiq
      # What of a Sidekiq process a person can turn. None of it works while it runs.
      class Levers
        # @param config [Sidekiq::Config]
        # @param env [Hash] the environment
        # @param arguments [Array<String>] of the command line
        # @param root [String] the application's folder
        def initialize(config, env:, arguments:, root:)
          @config = config
          @env = env
          @arguments = arguments
          @root = root
        end

        # @return [Array<Lever>]
        def to_a = @config.capsules.values.map { |capsule| concurrency(capsule) }

        private

        def concurrency(capsule)
          Lever.new(name: "concurrency", value: capsule.concurrency, how: "config.concurrency = N")
        end
      end
    end
  end
end
