# frozen_string_literal: true

require "optparse"

module Holdup
  class CLI
    # Parses a command's arguments by its declared options, and reports each mistake in one line.
    #
    #   Options.new("holdup collect [options]", [Queries::Option.switch("--once", "one round, then end")])
    class Options
      STORE = Queries::SelectionOptions[:store]
      DIR = Queries::SelectionOptions[:dir]
      # Named without their texts: `holdup exec` runs where the gems of the reports may be missing.
      LANGUAGE = Queries::Option.text("--lang LANG", View::LocaleFiles::LANGUAGES.join(" or "),
        key: :language)
      OUT = Queries::Option.text("--out FILE", "write it there")
      # One letter for the options that are typed most.
      LETTERS = {"--since" => "-s", "--name" => "-n", "--out" => "-o", "--json" => "-j", "--full" => "-f",
                 "--watch" => "-w"}.freeze

      # A span ends before its last second. The second that is passing belongs to it: else what was measured
      # in the first second of a window would be missing until the next.
      # @return [Integer] end of a span up to now
      def self.until_now(now_s)
        now_s + 1
      end

      # @return [Array<Queries::Option>]
      attr_reader :declared

      # @param usage [String] the first line of the help
      # @param declared [Array<Queries::Option>] in the order of the help
      # @param rest [Symbol, nil] the key for the arguments after the options; nil: none allowed
      # @param mixed [Boolean] whether options may also follow those arguments
      # @param text [String, nil] that the help has after the options
      def initialize(usage, declared = [], rest: nil, mixed: false, text: nil)
        @usage = usage
        @declared = declared.freeze
        @rest = rest
        @mixed = mixed
        @text = text
        freeze
      end

      # @return [GivenOptions]
      # @raise [UsageError]
      def parse(argv, now_s:)
        values = {}
        texts = {}
        asked = {}
        check_encoding(argv)
        left = order(parser(values, texts, asked, now_s:), apart(argv))
        asked = {language: values[:language], **asked}
        return GivenOptions.new(values: {}, texts: {}, options: self, now_s:, **asked) if asked[:help]
        @rest ? values[@rest] = left : refuse(left)
        GivenOptions.new(values:, texts:, options: self, now_s:, **asked)
      rescue OptionParser::ParseError => error
        raise UsageError.new(*explain(error))
      end

      # @param texts [HelpTexts] of a language
      # @return [String] what `--help` prints below what the command is for
      def help(texts = HelpTexts.new)
        below = texts.below(name, @text)
        OptionParser.new { |parser|
          parser.banner = texts.usage(name, @usage)
          parser.summary_width = 20
          declared.each do |option|
            parser.on(*LETTERS[option.flag], option.spec, *texts.option(name, option))
          end
          [below, ""].each { |text| parser.separator(text) } if below
          parser.on("--debug", *texts.line(:debug))
          parser.on("-h", "--help", *texts.line(:help))
        }.help
      end

      # @return [String] of the command, and of its experiment if it has some: "report", "lab sweep"
      def name = @usage[/\Aholdup ([a-z]+(?: [a-z-]+(?= (?:--|\[)))?)/, 1]

      # @return [Hash{Symbol => Object}] values of options that are not given
      def defaults
        declared.reject { |option| option.default.nil? }.to_h { |option| [option.key, option.default] }
      end

      # @param names [Array<String>] "store"
      # @return [Array<Queries::Option>]
      def only(*names) = declared.select { |option| names.include?(option.name) }

      # @return [Array<Queries::Option>] those that choose measurements first, in one order everywhere
      def ordered
        declared.sort_by.with_index { |option, index| [Queries::SelectionOptions.place(option), index] }
      end

      private

      # The optparse of Ruby 3.3 can't handle "--name=value" with exact names.
      def apart(argv)
        ours = ours(argv)
        [*ours.flat_map { |argument| argument.match?(/\A--[^=]+=/) ? argument.split("=", 2) : [argument] },
          *argv.drop(ours.size)]
      end

      # The arguments of the user's command are left alone.
      def ours(argv)
        return argv if @mixed || !@rest
        argv.take_while { |argument| argument.start_with?("-") && argument != "--" }
      end

      # The optparse of Ruby 3.3 can't handle "--" with exact names, so it never sees it.
      def order(parser, argv)
        return parser.permute(argv) if @mixed
        separator = argv.index("--") or return parser.order(argv)
        left = parser.order(argv.first(separator))
        left + argv.drop(left.empty? ? separator + 1 : separator)
      end

      # @param asked [Hash{Symbol => Object}] gets the language and whether help was asked for, which all
      #   commands take
      def parser(values, texts, asked, now_s:)
        OptionParser.new do |parser|
          parser.require_exact = true
          declared.each do |option|
            parser.on(*LETTERS[option.flag], option.spec) do |text|
              value = option.read(text, now_s:)
              values[option.key] = option.type.add(values[option.key], value)
              texts[option] = text
            end
          end
          parser.on("--debug")
          parser.on("-h", "--help") { asked[:help] = true }
          next if declared.any? { |option| option.flag == LANGUAGE.flag }
          parser.on(LANGUAGE.spec) { |text| asked[:language] = text }
        end
      end

      # The arguments of the user's command may be any bytes; Holdup's are text.
      def check_encoding(argv)
        broken = ours(argv).find { |argument| !argument.valid_encoding? }
        return unless broken
        text = broken.scrub("?")[0, 100].inspect
        raise UsageError.new("the argument #{text} is not valid #{broken.encoding} text", see_help)
      end

      def refuse(left)
        return if left.empty?
        name = command.delete_prefix("holdup ")
        raise UsageError.new("#{name} takes no argument #{left.first[0, 100].inspect}", see_help)
      end

      def explain(error)
        option = error.args.first.to_s[0, 100]
        case error
        when OptionParser::InvalidOption, OptionParser::AmbiguousOption
          ["#{command.delete_prefix("holdup ")} has no option #{option}",
            Queries::OptionValues::NearestName.hint(option[/\A[^=]*/], known) || see_help]
        when OptionParser::MissingArgument then ["#{option} needs a value", see_help]
        else [error.message.lines.first.chomp, see_help]
        end
      end

      def known = [*declared.map(&:flag), "--debug", "--help"].uniq

      def see_help
        "`#{command} --help` shows what it takes"
      end

      def command = @usage[/\Aholdup( \w+)?/]
    end
  end
end
