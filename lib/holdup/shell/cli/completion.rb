# frozen_string_literal: true

module Holdup
  class CLI
    # Prints what makes a shell complete commands, their options and the values that these can have.
    class Completion
      extend CommandArguments

      ACTIONS = %w[bash zsh fish].freeze
      OPTIONS = Options.new("holdup completion bash | zsh | fish", rest: :shells, mixed: true, text: <<~TEXT)

        bash   echo 'source <(holdup completion bash)' >> ~/.bashrc
        zsh    echo 'source <(holdup completion zsh)' >> ~/.zshrc
        fish   holdup completion fish > ~/.config/fish/completions/holdup.fish
      TEXT

      # What can be typed after a command.
      # - `name`: of the command; `entry`: what its feature says of it; `words`: beside options
      # - `options`: Array<Queries::Option>
      CommandChoices = Data.define(:name, :entry, :words, :options) do
        # @return [Array<String>] "status", "--since", "-s"
        def all = [*words, *options.flat_map { |option| spellings(option) }, "--help"]

        # @return [Hash{Array<String> => Array<String>}] spellings of an option => values that it can have
        def values
          limited = options.select { |option| option.type.respond_to?(:known) }
          limited.to_h { |option| [spellings(option), option.type.known.map(&:to_s)] }
        end

        def spellings(option) = [option.flag, Options::LETTERS[option.flag]].compact
      end

      def self.keywords(given, console)
        {**given.with_defaults, language: given.language || Places.language(console.env)}
      end

      # @param shells [Array<String>] one of ACTIONS
      # @param commands [Hash{String => Features::Listed}]
      # @param language [String] of what fish shows beside a choice
      # @raise [UsageError]
      def initialize(console:, shells: [], commands: Features.commands, language: View::LocaleFiles::DEFAULT)
        @console = console
        @texts = HelpTexts.of(language)
        @shell, *more = shells
        @commands = commands
        return if ACTIONS.include?(@shell) && more.empty?
        raise UsageError.new("completion takes one of #{ACTIONS.join(", ")}",
          "`holdup completion --help` says where its output belongs")
      end

      def run
        @console.out.write((@shell == "fish") ? fish : "#{zsh_beginning if @shell == "zsh"}#{bash}")
        OK
      end

      private

      def choices
        @choices ||= @commands.map do |name, listed|
          command = listed.load
          words = (name == "help") ? @commands.keys : command.words
          CommandChoices.new(name:, entry: listed.entry, words:, options: command.options)
        end
      end

      # zsh understands what is written for bash.
      def zsh_beginning = "autoload -U +X bashcompinit && bashcompinit\n"

      def bash
        <<~BASH
          _holdup() {
            local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=report words="" word
            for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
              case $word in
                #{@commands.keys.join("|")}) command=$word; break ;;
              esac
            done
            case $command in
          #{choices.map { |one| "    #{one.name}) words=#{quoted(one.all.join(" "))} ;;" }.join("\n")}
            esac
            [[ $COMP_CWORD == 1 ]] && words="#{@commands.keys.join(" ")} $words"
            case "$command $prev" in
          #{bash_values.join("\n")}
            esac
            COMPREPLY=($(compgen -W "$words" -- "$cur"))
          }
          complete -o default -F _holdup holdup
        BASH
      end

      def bash_values
        choices.flat_map do |one|
          one.values.map do |spellings, known|
            patterns = spellings.map { |flag| "'#{one.name} #{flag}'" }.join("|")
            "    #{patterns}) words=#{quoted(known.join(" "))} ;;"
          end
        end
      end

      def fish
        choices.flat_map { |one|
          condition = "-n '__fish_seen_subcommand_from #{one.name}'"
          summary = @texts.summary(one.name, one.entry.summary)
          ["complete -c holdup -n __fish_use_subcommand -a #{one.name} -d #{quoted(summary)}",
            *one.words.map { |word| "complete -c holdup -f #{condition} -a #{word}" },
            *one.options.map { |option| "complete -c holdup #{condition} #{fish_option(one.name, option)}" }]
        }.map { |line| "#{line}\n" }.join
      end

      def fish_option(command, option)
        letter = Options::LETTERS[option.flag]&.delete_prefix("-")
        said = @texts.option(command, option).join(@texts.frame(:joint))
        known = option.type.known.join(" ") if option.type.respond_to?(:known)
        ["-l #{option.name}", ("-s #{letter}" if letter), ("-r" if option.spec.include?(" ")),
          ("-f -a #{quoted(known)}" if known), "-d #{quoted(said)}"].compact.join(" ")
      end

      # For fish; names and values, which bash gets, have no such marks.
      def quoted(text) = "'#{text.gsub(/['\\]/) { |mark| "\\#{mark}" }}'"
    end
  end
end
