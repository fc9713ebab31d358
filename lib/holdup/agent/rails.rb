# frozen_string_literal: true

require "rails/railtie"
require_relative "../base"
return unless File.dirname(__dir__) == Holdup::FOLDER # another copy is loaded

require_relative "instrumentation/active_job"
require_relative "rails_program"

module Holdup
  # Puts the middleware and the job callback outermost, applies `config.holdup`, and starts after the
  # application has booted. Loading it only defines initializers.
  class Railtie < ::Rails::Railtie
    config.holdup = ActiveSupport::OrderedOptions.new

    initializer "holdup.configure", after: :load_config_initializers do |app|
      Railtie.apply(app.config.holdup.to_h, app: app.class.module_parent_name || app.class.name)
    end

    initializer "holdup.middleware", after: "holdup.configure" do |app|
      next if Holdup.runtime.other_copy?
      app.config.middleware.insert_before(0, Instrumentation::Rack, Holdup.requests)
    end

    initializer "holdup.jobs" do
      next if Holdup.runtime.other_copy?
      ActiveSupport.on_load(:active_job) { Instrumentation::ActiveJob.install(self, Holdup.jobs) }
    end

    initializer "holdup.start", after: "holdup.middleware" do |app|
      app.config.after_initialize { Railtie.start }
    end

    generators { require_relative "../../generators/holdup/install/install_generator" }

    class << self
      # @param app [String, nil] the application's name, unless it has set another
      # @raise [ConfigurationError] for an unknown key or a wrong value
      def apply(settings, app:)
        return if Holdup.running? || Holdup.runtime.other_copy?
        Holdup.configure do |draft|
          settings.each { |key, value| draft.set(key, value, source: "config.holdup") }
          draft.app ||= app
        end
      end

      # Starts measuring in servers and job runners; elsewhere (console, task, test) only with
      # HOLDUP_ENABLED=true.
      def start(env: ENV)
        tool = tool_of(Holdup.runtime.guard) unless forced?(env)
        return Holdup.start unless tool
        reason = "#{tool} takes no requests and no jobs; HOLDUP_ENABLED=true measures it all the same"
        ::Rails.logger&.debug("#{Log::PREFIX}not measuring: #{reason}")
      end

      private

      def forced?(env)
        ConfigurationKeys::Types::Boolean.new.parse(env["HOLDUP_ENABLED"].to_s)
      end

      def tool_of(guard)
        server = -> { guard.call(:servers) { Holdup.servers.here? } }
        guard.call(:rails) do
          RailsProgram.new(name: $PROGRAM_NAME, environment: ::Rails.env.to_s, server:).tool
        end
      end
    end
  end
end
