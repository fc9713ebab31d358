# frozen_string_literal: true

require "rails/railtie"
require_relative "base"
require_relative "instrumentation/active_job"

module Holdup
  # Rails: the middleware and the callback of jobs at the outermost place, the settings from `config.holdup`, and the
  # start after the application has booted. Loading it defines initializers and does nothing else.
  class Railtie < ::Rails::Railtie
    # Tasks that run jobs until they are told to stop.
    RUNNERS = %w[solid_queue:start].freeze

    config.holdup = ActiveSupport::OrderedOptions.new

    initializer "holdup.configure", after: :load_config_initializers do |app|
      Railtie.apply(app.config.holdup.to_h, app: app.class.module_parent_name || app.class.name)
    end

    initializer "holdup.middleware", after: "holdup.configure" do |app|
      app.config.middleware.insert_before(0, Instrumentation::Rack, Holdup.requests)
    end

    initializer "holdup.jobs" do
      ActiveSupport.on_load(:active_job) { Instrumentation::ActiveJob.install(self, Holdup.jobs) }
    end

    initializer "holdup.start", after: "holdup.middleware" do |app|
      app.config.after_initialize { Holdup.start if Railtie.serves? }
    end

    generators { require_relative "../generators/holdup/install/install_generator" }

    class << self
      # @param settings [Hash{Symbol => Object}] from config.holdup
      # @param app [String, nil] the application's name, unless it has set another
      # @return [void]
      # @raise [ConfigurationError] for a key or a value that can't be
      def apply(settings, app:)
        return if Holdup.running?
        Holdup.configure do |draft|
          settings.each { |key, value| set(draft, key, value) }
          draft.app ||= app
        end
      end

      # Consoles, generators, runners, rake tasks and tests are no traffic. HOLDUP_ENABLED=true measures them all the same.
      # @return [Boolean]
      def serves?(env: ENV)
        return true if %w[1 true yes on].include?(env["HOLDUP_ENABLED"])
        !(console? || ((command? || rake?) && !runner?) || ::Rails.env.test?)
      end

      private

      def set(draft, key, value)
        known = draft.members
        raise ConfigurationError.new(key: "config.holdup", value: key, expected: "one of #{known.join(", ")}") unless known.include?(key)
        draft[key] = value
      end

      def console? = !!defined?(::Rails::Console)

      # bin/rails with anything but a server.
      def command? = !!defined?(::Rails::Command) && !defined?(::Rails::Server)

      def rake? = File.basename($PROGRAM_NAME) == "rake" || tasks.any?

      # bin/rails or rake with the task of a job runner.
      def runner? = (tasks & RUNNERS).any?

      def tasks = defined?(::Rake.application) ? ::Rake.application.top_level_tasks : []
    end
  end
end
