# frozen_string_literal: true

module Holdup
  # Whether a Rails process is a server or job runner, or a tool (console, task, test) that takes no requests
  # and no jobs. Judges by what runs, not by what is loaded: any gem may load Rails' commands, Rake or a
  # server.
  class RailsProgram
    # Rake tasks that run jobs until they are stopped.
    JOB_TASKS = %w[solid_queue:start].freeze
    TOOLS = %w[rails rake irb pry spring].freeze
    RACK_SERVERS = %w[Rackup::Server Rack::Server].freeze

    # @param server [#call] whether a known server or job runner runs this process
    def initialize(name:, environment:, server:)
      @name = name
      @environment = environment
      @server = server
    end

    # @return [String, nil] the name of the tool; nil for a server, a job runner and every other program
    def tool
      return "the test environment" if @environment == "test"
      return if job_task? || rack_server? || @server.call
      rails_command || rake || other_tool
    end

    private

    # `rails server` creates it before it loads the application, for every server.
    def rack_server?
      RACK_SERVERS.any? { |name| instances(name).any? }
    end

    def job_task? = (tasks & JOB_TASKS).any?

    # The running bin/rails command, whatever the program's name.
    def rails_command
      command = instances("Rails::Command::Base").first
      "`rails #{command.class.command_name}`" if command
    end

    def rake
      "`rake #{tasks.join(" ")}`" if tasks.any?
    end

    def other_tool
      program = File.basename(@name)[/\A[\w.-]+/]
      "`#{program}`" if TOOLS.include?(program)
    end

    def tasks
      defined?(::Rake.application) ? ::Rake.application.top_level_tasks : []
    end

    def instances(name)
      loaded = name.split("::").inject(Object) { |owner, constant| loaded_constant(owner, constant) }
      loaded ? ObjectSpace.each_object(loaded).to_a : []
    end

    # Autoloads nothing: a class that is not loaded has no instances.
    def loaded_constant(owner, constant)
      return unless owner&.const_defined?(constant, false)
      owner.const_get(constant, false) unless owner.autoload?(constant)
    end
  end
end
