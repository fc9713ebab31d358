# frozen_string_literal: true

module Holdup
  class CLI
    # The commands of all features. Each loads only when called, because `holdup version` must not load a
    # database.
    module Registry
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
        listed = Features.commands[name]
        return Entry.new(command: listed.load) if listed
        raise UsageError.new("unknown command #{name.inspect}",
          Queries::OptionValues::NearestName.hint(name, Features.commands.keys) || "`holdup help` lists them")
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
          commands = Features.commands.map do |name, listed|
            "  holdup #{name.ljust(10)} #{listed.entry.summary}"
          end
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
