# frozen_string_literal: true

require "yaml"

module Holdup
  class CLI
    # What `--help`, `holdup help`, the completion of shells and the command line itself say in a language.
    # The English texts are in the code, with the commands and options that they explain. Those of another
    # language are in files `help/<language>.yml` in the folder of the part that has the command: its summary,
    # its line of usage where that has words, its options by their flags, and the text below them, or the
    # parts of it that are words. `shell/cli/help/` has the frame, the options that several commands explain
    # alike, and the settings of the in-app part by their names.
    class HelpTexts
      FOLDER = File.expand_path("../..", __dir__)
      # Columns of an option's text: OptionParser has used 25 of 80 before it.
      WIDTH = 55
      # Columns of a setting's text, which is indented.
      SETTING_WIDTH = 75
      SETTING_LINE = /\S.{0,74}(?=\s|\z)/
      FRAME = {
        "usage" => "Usage: ",
        "stop" => ".",
        "joint" => " ",
        "debug" => "with a backtrace when something fails",
        "help" => "this text",
        "about" => "Who holds the GVL, who waits for it, and how many threads and processes you need.",
        "alone" => "`holdup` alone prints the report.",
        "look" => "look",
        "decide" => "decide",
        "prove" => "prove",
        "keep_well" => "keep well",
        "more" => "more",
        "all" => "`holdup help --all` lists the other commands.",
        "each" => "`holdup help COMMAND` shows the options of one, `holdup help settings` those of the\n" \
                  "part that runs inside the application.",
        "setting" => "%{name}%{variable}, default %{default}",
        "nothing_yet" => "Nothing is measured yet: there is no store at %{location}.\n" \
                         "Add `gem \"holdup\"` to the application's Gemfile, or start it by " \
                         "`holdup exec -- COMMAND`; use it.\n" \
                         "`holdup doctor` says what is measured, what is missing, and how to fix it.",
        "gem_missing" => "%{message}; install the gem it belongs to " \
                         "(`gem install holdup` brings all of them)",
        "folder_gone" => "the current folder is deleted (%{folder}); change to a folder that exists and " \
                         "run it again (`cd %{folder}` if it was made anew)",
        "unexpected" => "%{message} (%{error}); run it again with --debug and report what it prints"
      }.freeze
      # Words of usage lines that are no names.
      USAGE_WORDS = ["[options]"].freeze

      class << self
        # @param language [String]
        # @return [HelpTexts] in English where the gems of the reports are missing, as for `holdup exec`
        # @raise [UsageError] a language that Holdup does not have
        def of(language)
          View::LocaleFiles.check(language)
          return new if language == View::LocaleFiles::DEFAULT
          View::Width.of("") # which needs a gem
          new(read(language))
        rescue LoadError
          new
        end

        # @param folder [String] with folders `help` anywhere below it
        # @return [Hash{String => Hash}] the files of a language in one
        def read(language, folder = FOLDER)
          files = Dir[File.join(folder, "**/help/#{language}.yml")].sort
          tables = files.map { |file| YAML.safe_load_file(file, aliases: true).fetch(language) }
          tables.reduce do |all, table|
            all.merge(table) { |_, one, other| one.merge(other) }
          end
        end
      end

      # @param table [Hash{String => Hash}] "frame", "options", "commands", "settings"; what it lacks is
      #   English
      def initialize(table = {})
        @frame = FRAME.merge(table.fetch("frame", {}))
        @options = table.fetch("options", {})
        @commands = table.fetch("commands", {})
        @settings = table.fetch("settings", {})
      end

      # @param key [Symbol, String] of FRAME
      # @param values [Hash{Symbol => Object}] of its %{name}
      # @return [String]
      def frame(key, **values)
        @frame.fetch(key.to_s).gsub(/%\{(\w+)\}/) { values.fetch($1.to_sym).to_s }
      end

      # @param key [ConfigurationKeys::Key] of Configuration::KEYS
      # @return [Array<String>] lines: what a setting is called, its default, and what it is for
      def setting(key)
        default = key.default.is_a?(IO) ? "stderr" : key.default.inspect
        variable = " (#{key.env})" if key.env
        name = frame(:setting, name: key.name, variable:, default:)
        text = @settings.fetch(key.name.to_s, key.help)
        first, *others = setting_lines(name) + setting_lines(text)
        [first, *others.map { |line| "    #{line}" }]
      end

      # @param command [String] "report", "lab sweep"
      # @param usage [String] in English
      # @return [String] the first line of the help
      def usage(command, usage)
        own = command(command)["usage"] || USAGE_WORDS.reduce(usage) { |line, word| translated(line, word) }
        frame(:usage) + own
      end

      # @param option [Queries::Option]
      # @return [Array<String>] lines
      def option(command, option)
        text = text_of(command, option) or return option.help
        View::Width.wrap(text, WIDTH)
      end

      # @return [Array<String>] lines
      def line(key)
        text = frame(key)
        (text == FRAME[key.to_s]) ? [text] : View::Width.wrap(text, WIDTH)
      end

      # @param text [String, nil] in English
      # @return [String, nil] what the help has after the options
      def below(command, text)
        own = text && command(command)["text"]
        case own
        when Hash then own.reduce(text) { |said, (english, part)| said.sub(english) { part } }
        when String then "\n#{own}"
        else text
        end
      end

      # @param english [String]
      # @return [String] what a command is for
      def summary(command, english) = command(command)["summary"] || english

      # @param entry [FeatureContents::CommandEntry]
      # @return [String] what it is for, and how it is called
      def introduction(entry)
        said = command(entry.name)["summary"] || "#{entry.summary[0].upcase}#{entry.summary[1..]}"
        calls = entry.examples.map { |arguments| "  holdup #{entry.name} #{arguments}".rstrip }
        ["#{said}#{frame(:stop)}", "", *calls, ""].map { |line| "#{line}\n" }.join
      end

      private

      def command(name) = @commands.fetch(name, {})

      # English needs no gem for its widths.
      def setting_lines(text)
        @settings.empty? ? text.scan(SETTING_LINE) : View::Width.wrap(text, SETTING_WIDTH)
      end

      def translated(line, word) = line.sub(word) { @frame.fetch(word, word) }

      def text_of(command, option)
        text = command(command).dig("options", option.flag) || @options[option.flag]
        text&.sub("%{known}") { option.type.known.join(", ") }
      end
    end
  end
end
