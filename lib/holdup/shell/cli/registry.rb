# frozen_string_literal: true

module Holdup
  class CLI
    # The commands of all features. Each loads only when called, because `holdup version` must not load a
    # database.
    module Registry
      # Parses the arguments and runs the command.
      #
      # - `contents`: what the feature's table of contents says of it
      Entry = Data.define(:command, :contents) do
        def call(argv, console)
          options = command.parse(argv, console)
          return command.new(console:, **options).run unless options.key?(:help)
          console.show(options.fetch(:texts).introduction(contents) + options.fetch(:help))
          OK
        end
      end

      # @raise [UsageError] no such command; suggests the nearest name
      def self.fetch(name)
        listed = Features.commands[name]
        return Entry.new(command: listed.load, contents: listed.entry) if listed
        raise UsageError.new("unknown command #{name.inspect}",
          Queries::OptionValues::NearestName.hint(name, Features.commands.keys) || "`holdup help` lists them")
      end

      # The commands that most people need, by what they are for, in the order of `holdup help`.
      GROUPS = %i[look decide prove keep_well].freeze

      # `holdup help`: lists the commands, or shows the help of one, or the settings of the in-app part.
      class Help
        extend CommandArguments

        OPTIONS = Options.new("holdup help [command | settings] [--all]",
          [Queries::Option.switch("--all", "list every command")], rest: :topics, mixed: true)

        def self.keywords(given, console)
          {**given.with_defaults, language: given.language || Places.language(console.env)}
        end

        # @param topics [Array<String>] a command (of the lab also the experiment), "settings", or nothing
        # @param all [Boolean] whether to list every command
        # @param language [String]
        def initialize(console:, topics: [], all: false, language: View::LocaleFiles::DEFAULT)
          @console = console
          @language = language
          @texts = HelpTexts.of(language)
          @all = all
          @topic, *@rest = topics
        end

        def run
          return command if @topic && @topic != "settings"
          @console.show((@topic ? settings : overview).map { |line| "#{line}\n" }.join)
          OK
        end

        private

        def command
          asked = [*@rest, "--help", Options::LANGUAGE.flag, @language]
          Registry.fetch(@topic).call(asked, @console)
        end

        def overview
          by_group = Features.commands.values.map(&:entry).group_by(&:group)
          groups = GROUPS.flat_map { |group| listed(group, by_group[group]) }
          [
            @texts.frame(:about),
            @texts.frame(:alone),
            *groups,
            *(@all ? listed(:more, by_group[nil]) : nil),
            "",
            (@texts.frame(:all) unless @all),
            @texts.frame(:each)
          ].compact
        end

        # @param entries [Array<FeatureContents::CommandEntry>, nil] nil: the features that have them are gone
        def listed(title, entries)
          return [] unless entries
          lines = entries.map do |entry|
            "  holdup #{entry.name.ljust(10)} #{@texts.summary(entry.name, entry.summary)}"
          end
          ["", @texts.frame(title), *lines]
        end

        def settings = Configuration::KEYS.flat_map { |key| @texts.setting(key) }
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
