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
      idle = Railtie.method(:job_in_a_tool)
      ActiveSupport.on_load(:active_job) { Instrumentation::ActiveJob.install(self, Holdup.jobs, idle:) }
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
      # HOLDUP_ENABLED=true, or when the tool turns out to be a worker.
      def start(env: ENV)
        program = program(Holdup.runtime.guard)
        tool = Holdup.runtime.guard.call(:rails) { program.tool } unless forced?(env)
        return Holdup.start unless tool
        say(:debug, "#{tool} takes no requests and no jobs; HOLDUP_ENABLED=true measures it all the same")
        expect_work(program, tool) if Holdup.configuration.enabled
      end

      # A job begins in a process that does not measure. One that comes from a queue makes a worker of a task
      # or script, and is measured itself. One that it performs by itself, as scripts of cron do, is no reason
      # to start a collector, nor is one for which it has forked a process.
      # @param job [ActiveJob::Base]
      def job_in_a_tool(job)
        return unless @tool
        Holdup.runtime.guard.call(:rails) do
          next become_worker if job.enqueued_at && Process.pid == @pid
          say(:info, "#{@tool} runs a job; HOLDUP_ENABLED=true measures it") unless @said
          @said = true
        end
      end

      private

      # Servers that it runs later start measuring by themselves.
      def expect_work(program, tool)
        Holdup.runtime.guard.call(:rails) do
          next unless program.may_work?
          @tool = tool
          @pid = Process.pid
          Holdup.servers.call
        end
      end

      def become_worker
        @tool = nil
        Holdup.start
      end

      def say(level, reason)
        ::Rails.logger&.public_send(level, "#{Log::PREFIX}not measuring: #{reason}")
      end

      def forced?(env)
        ConfigurationKeys::Types::Boolean.new.parse(env["HOLDUP_ENABLED"].to_s)
      end

      def program(guard)
        server = -> { guard.call(:servers) { Holdup.servers.here? } }
        RailsProgram.new(name: $PROGRAM_NAME, environment: ::Rails.env.to_s, server:)
      end
    end
  end
end
