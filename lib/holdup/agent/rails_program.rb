# frozen_string_literal: true

module Holdup
  # Whether a Rails process is a server or job runner, or a tool (console, task, test) that takes no requests
  # and no jobs. Judges by what runs, not by what is loaded: any gem may load Rails' commands, Rake or a
  # server.
  class RailsProgram
    # Rake tasks that run jobs until they are stopped or no job is left: of Delayed Job, Delayed, Resque, Que,
    # queue_classic, Solid Queue, GoodJob, Sneakers and Backburner. With arguments or inside a namespace too
    # ("app:jobs:work[mails]").
    JOB_TASK = /
      (?:\A|:)(?:
        (?:jobs|delayed):(?:work|workoff) | resque:(?:work|workers) | (?:que|qc):work |
        (?:solid_queue|good_job):start | sneakers:run | backburner:(?:\w+:)?work
      )(?:\[.*\])?\z
    /x
    TOOLS = %w[rails rake irb pry spring].freeze
    # A person types into these programs.
    INTERACTIVE = %w[irb pry spring].freeze
    # What these Rails commands and tasks do is never a worker's loop.
    COMMANDS = %w[console dbconsole test generate destroy new plugin].freeze
    TASKS = /\A(?:app:)?(?:db|assets|test|spec|tmp|log|yarn|css|javascript|zeitwerk)(?::|\z)|\Adefault\z/
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

    # Whether a tool may turn out to be a worker: a task or script of the application may run jobs, or a
    # server, in a loop of its own.
    def may_work?
      return false if @environment == "test" || INTERACTIVE.include?(program)
      return COMMANDS.none?(command.class.command_name) if command
      tasks.any? { |task| !TASKS.match?(task) }
    end

    private

    # `rails server` creates it before it loads the application, for every server.
    def rack_server?
      RACK_SERVERS.any? { |name| instances(name).any? }
    end

    # A task of the application may stand before a runner's (task work: "jobs:work").
    def job_task?
      (tasks + tasks.flat_map { |task| prerequisites(task) }).any?(JOB_TASK)
    end

    # Rake raises where one of them is not defined, and says so itself when it comes to it.
    def prerequisites(task)
      ::Rake.application.lookup(task)&.all_prerequisite_tasks.to_a.map(&:name)
    rescue RuntimeError
      []
    end

    # The running bin/rails command, whatever the program's name.
    def command = instances("Rails::Command::Base").first

    def rails_command
      "`rails #{command.class.command_name}`" if command
    end

    def rake
      "`rake #{tasks.join(" ")}`" if tasks.any?
    end

    def other_tool
      "`#{program}`" if TOOLS.include?(program)
    end

    def program = File.basename(@name)[/\A[\w.-]+/]

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
