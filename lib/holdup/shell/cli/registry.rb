# frozen_string_literal: true

module Holdup
  class CLI
    # The commands. Each loads only when called, because `holdup version` must not load a database.
    module Registry
      SUMMARIES = {
        "report" => "where the time went, who stalled and who caused it",
        "top" => "what the processes of this host do now, each second anew",
        "fleet" => "all hosts: what runs where, which one differs, which revision",
        "doctor" => "what is measured, what is missing, and how to fix it",
        "advise" => "how many threads, processes and job slots, with the evidence",
        "whatif" => "another setting or load, replayed next to the current one",
        "scale" => "load and capacity of each role, the signal for autoscalers",
        "compare" => "what a change did: two times, settings or revisions, with intervals",
        "experiment" => "arms side by side: time needed, progress, and the answer",
        "autopilot" => "what it does with Puma's threads and why; freeze, thaw",
        "capture" => "every GVL event of some seconds, thread by thread",
        "timeline" => "what happened in a capture: who waited, and for whom",
        "calculate" => "how many threads for an io share, next to Amdahl's law",
        "collect" => "carry the measurements of this host to the store",
        "store" => "make the tables of a central store, say what is in it, copy it",
        "exec" => "run a command with Holdup in it, with no change to the application",
        "lab" => "experiments with real processes on this machine",
        "web" => "the dashboard in a browser, for this machine's store",
        "mcp" => "the same answers for assistants (Model Context Protocol)",
        "terraform" => "metrics, alarms and a dashboard of lines of statistics",
        "version" => "the version of Holdup and of this Ruby",
        "help" => "this, or the help of one command"
      }.freeze

      LOADERS = {
        "report" => -> {
          Report::Command
        },
        "top" => -> {
          Top::Command
        },
        "fleet" => -> {
          Fleet::Command
        },
        "doctor" => -> {
          Doctor::Command
        },
        "advise" => -> {
          Advise::Command
        },
        "whatif" => -> {
          Advise::WhatifCommand
        },
        "scale" => -> {
          Scaling::Command
        },
        "compare" => -> {
          Compare::Command
        },
        "experiment" => -> {
          Experiment::Command
        },
        "autopilot" => -> {
          Autopilot::Command
        },
        "capture" => -> {
          Captures::Command
        },
        "timeline" => -> {
          Captures::TimelineCommand
        },
        "calculate" => -> {
          Advise::CalculateCommand
        },
        "collect" => -> {
          Collector::Command
        },
        "store" => -> {
          Stores::Command
        },
        "exec" => -> {
          Exec::Command
        },
        "lab" => -> {
          Lab::Command
        },
        "web" => -> {
          Web::Command
        },
        "mcp" => -> {
          Mcp::Command
        },
        "terraform" => -> {
          Export::TerraformCommand
        },
        "version" => -> {
          Version
        },
        "help" => -> {
          Help
        }
      }.freeze

      # Parses the arguments and runs the command.
      Entry = Data.define(:command) do
        def call(argv, console)
          options = command.parse(argv, console)
          return command.new(console:, **options).run unless options.key?(:help)
          console.out.puts(options[:help])
          0
        end
      end

      # @raise [UsageError] no such command; suggests the nearest name
      def self.fetch(name)
        loader = LOADERS[name]
        return Entry.new(command: loader.call) if loader
        raise UsageError.new("unknown command #{name.inspect}",
          Queries::OptionValues::NearestName.hint(name, LOADERS.keys) || "`holdup help` lists them")
      end

      # `holdup help`: lists the commands, or shows the help of one, or the settings of the in-app part.
      class Help
        extend CommandArguments

        OPTIONS = Options.new("holdup help [command | settings]", rest: :topics)

        # @param topics [Array<String>] a command (of the lab also the experiment), "settings", or nothing
        def initialize(console:, topics: [])
          @console = console
          @topic, *@rest = topics
        end

        def run
          return Registry.fetch(@topic).call([*@rest, "--help"], @console) if @topic && @topic != "settings"
          @console.out.puts(@topic ? settings : overview)
          OK
        end

        private

        def overview
          commands = Registry::SUMMARIES.map { |name, summary| "  holdup #{name.ljust(10)} #{summary}" }
          [
            "Who holds the GVL, who waits for it, and how many threads and processes you need.",
            "",
            *commands,
            "",
            "`holdup help COMMAND` shows the options of one, `holdup help settings` those of the",
            "part that runs inside the application. Start with `holdup report`."
          ]
        end

        def settings
          Configuration::KEYS.flat_map do |key|
            variable = " (#{key.env})" if key.env
            first, *others = wrap("#{key.name}#{variable}, default #{default(key)}") + wrap(key.help)
            [first, *others.map { |line| "    #{line}" }]
          end
        end

        def default(key)
          key.default.is_a?(IO) ? "stderr" : key.default.inspect
        end

        def wrap(text) = text.scan(/\S.{0,74}(?=\s|\z)/)
      end

      # Prints the version of Holdup and of the Ruby it runs on.
      class Version
        extend CommandArguments

        OPTIONS = Options.new("holdup version")

        def initialize(console:)
          @console = console
        end

        def run
          @console.out.puts("holdup #{VERSION} (#{RUBY_DESCRIPTION})")
          OK
        end
      end
    end
  end
end
