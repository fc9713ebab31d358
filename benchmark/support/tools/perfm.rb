# frozen_string_literal: true

require "logger"
require "rails"
require "perfm"
require "tools"

module Bench
  module Tools
    # perfm measures requests only: its own middleware around the unit. Its rows go nowhere, so the price of
    # its INSERTs is not in the figure.
    class Perfm < None
      class Nowhere
        def store(rows) = nil
      end

      ENVIRONMENT = {"REQUEST_METHOD" => "GET"}.freeze
      ANSWER = [200, {}.freeze, [].freeze].freeze

      # `Perfm.setup!` wants an application with a database, or a server on the network; nothing else sets the
      # agent.
      def start
        ::Perfm.instance_variable_set(:@agent, ::Perfm::Agent.new(nil, storage))
        @middleware = around(method(:answer))
      end

      def unit = @middleware.call(ENVIRONMENT)

      def around(app)
        ::Perfm::Middleware::GvlInstrumentation.new(app)
      end

      def jobs(config)
        config.server_middleware { |chain| chain.prepend(::Perfm::Middleware::SidekiqGvlInstrumentation) }
      end

      private

      def storage = Nowhere.new

      def answer(_env)
        GvlWork.release(RELEASES)
        ANSWER
      end
    end
  end
end
