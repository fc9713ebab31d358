# frozen_string_literal: true

require File.expand_path("../../../examples/storefront/config/application", __dir__)

module Bench
  # The storefront without what its own set-up puts in (which middleware measures is the arm's business), and
  # with one more endpoint: a request with exactly as many queries as make 21 releases of the GVL.
  module Storefront
    PATH = "/bench"
    QUERIES = 6

    # @param measured [Boolean] whether Holdup stays where its Railtie puts it
    # @param jit [Boolean] whether YJIT is enabled, as the storefront's settings say
    # @return [Rails::Application] booted
    def self.boot(measured: false, jit: true)
      application = ::Rails.application
      application.config.before_eager_load { |app| app.config.yjit &&= jit }
      application.config.middleware.delete(::Holdup::Instrumentation::Rack) unless measured
      application.routes.append { get(PATH => "benches#show") }
      application.initialize!
      require_relative "benches_controller"
      application
    end
  end
end
