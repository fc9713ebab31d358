# frozen_string_literal: true

require "optparse"
require "shellwords"

module Holdup
  class CLI
    # Parses a command's arguments into the command's keywords, and reports each mistake in one line.
    #
    #   Options.new("holdup collect [options]") do |parser, values|
    #     parser.on("--once") { values[:once] = true }
    #   end
    class Options
      # Declares --store.
      def self.store(parser, values)
        parser.on("--store URL", "a path or URL ($HOLDUP_STORE)") { |text| values[:store] = text }
      end

      # Declares --lang.
      def self.language(parser, values)
        parser.on("--lang LANG", View::Words::LANGUAGES.keys.join(" or ")) { |text| values[:language] = text }
      end

      # What limits the measurements that a command reads: meanings by option.
      ORIGINS = {
        app: ["NAME", "only this application (HOLDUP_APP)"],
        host: ["GLOB", "only hosts like 'web-*'"],
        role: ["NAME", "only processes of this server or job runner: puma"],
        revision: ["NAME", "only this revision, or how it begins"]
      }.freeze

      # Declares --app, --host, --role and --revision.
      # @param parts [Array<Symbol>] keys of ORIGINS
      def self.origin(parser, values, parts = ORIGINS.keys)
        ORIGINS.slice(*parts).each do |part, (argument, meaning)|
          parser.on("--#{part} #{argument}", meaning) do |text|
            values[:origin] = (values[:origin] || Queries::Origin.new).with(part => text)
          end
        end
      end

      # Declares --kind.
      def self.kind(parser, values, meaning: "request (the default) or job")
        parser.on("--kind KIND", meaning) do |text|
          values[:kind] = Queries::OptionValues.choice("--kind", text, %i[request job])
        end
      end

      # Declares --since and --until.
      # @param now_s [Integer] seconds since 1970
      # @param since [String] meaning of --since, with its default
      def self.span(parser, values, now_s:, since:)
        parser.on("--since TIME", since) do |text|
          values[:since] = Queries::OptionValues.moment("--since", text, now_s:)
        end
        parser.on("--until TIME", "the same; now is the default") do |text|
          values[:until] = Queries::OptionValues.moment("--until", text, now_s:)
        end
      end

      # @param names [Array<String>] of options
      # @return [Hash{String => String}] those of them that were given, with their values; a password is not
      #   shown, because reports are passed on
      def self.given(argv, names)
        words = argv.flat_map { |word| word.start_with?("--") ? word.split("=", 2) : [word] }
        given = words.each_cons(2).to_h.slice(*names)
        given["--store"] = Holdup::Store.redact(given["--store"]) if given["--store"]
        given
      end

      # A span ends before its last second. The second that is passing belongs to it: else what was measured
      # in the first second of a window would be missing until the next.
      # @return [Integer] end of a span up to now
      def self.until_now(now_s)
        now_s + 1
      end

      # @param usage [String] the first line of the help
      # @param rest [Symbol, nil] the keyword for the arguments after the options; nil: none allowed
      # @param mixed [Boolean] whether options may also follow those arguments
      # @yield [OptionParser, Hash] to declare options that write into the hash
      def initialize(usage, rest: nil, mixed: false, &declare)
        @usage = usage
        @rest = rest
        @mixed = mixed
        @declare = declare
      end

      # @return [Hash{Symbol => Object}] keywords of the command, or {help: text}
      # @raise [UsageError]
      def parse(argv)
        values = {}
        check_encoding(argv)
        left = order(parser(values), apart(argv))
        return values if values.key?(:help)
        return values.merge(@rest => left) if @rest
        refuse(left)
        values
      rescue OptionParser::ParseError => error
        raise UsageError.new(*explain(error))
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

      def parser(values)
        OptionParser.new do |parser|
          parser.banner = "Usage: #{@usage}"
          parser.require_exact = true
          parser.summary_width = 20
          @declare&.call(parser, values)
          parser.on("--debug", "with a backtrace when something fails")
          parser.on("-h", "--help", "this text") { values[:help] = parser.help }
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

      def known
        names = []
        parser({}).summarize { |line| names.concat(line.scan(/--[a-z-]+/)) }
        names.uniq
      end

      def see_help
        "`#{command} --help` shows what it takes"
      end

      def command = @usage[/\Aholdup( \w+)?/]
    end

    class Options
      # The options that `advise` and `whatif` share: the recording, and the limits of its deployment.
      module SizingOptions
        SINCE_S = 2 * 3600
        SIZE = /\A(\d{1,9}(?:\.\d{1,3})?)([KMGT]?)(?:i?B)?\z/i
        BYTES = {"" => 1, "K" => 1 << 10, "M" => 1 << 20, "G" => 1 << 30, "T" => 1 << 40}.freeze

        module_function

        # @param values [Hash] that they go to
        def declare(parser, values, now_s)
          parser.on("--slo WHAT", "the promise: p95=300ms, or only p99 (p95)") do |text|
            values[:slo] = slo(text)
          end
          Options.kind(parser, values)
          Options.origin(parser, values)
          parser.on("--vcpus N", "of a host, where the samples don't know") do |text|
            values[:vcpus] = Queries::OptionValues.positive("--vcpus", text)
          end
          Options.span(parser, values, now_s:, since: "2h (the default) ago, or 2026-11-21T12:00")
          parser.on("--warm-up TIME", "after a boot, that don't count (120s); 0s: all counts") do |text|
            values[:warm_up_s] = Queries::OptionValues.duration("--warm-up", text) / 1_000_000_000
          end
          Options.store(parser, values)
          Options.language(parser, values)
        end

        # @param text [String] "2G", "512M"
        # @return [Integer] at least 1
        def bytes(option, text)
          match = SIZE.match(text)
          bytes = match ? (Float(match[1]) * BYTES.fetch(match[2].upcase)).round : 0
          return bytes if bytes.positive?
          raise UsageError.new("#{option} can't be #{text[0, 100].inspect}",
            "it takes a size such as 512M or 2G")
        end

        def slo(text)
          slo = Sizing::Slo.parse(text)
          return slo if slo
          raise UsageError.new("--slo can't be #{text[0, 100].inspect}",
            "it takes a percentile from p50 on and a time, such as p95=300ms")
        end

        def prices(text)
          prices = Sizing::CheapestFleet::FleetPrices.parse(text)
          return prices if prices
          raise UsageError.new("--prices can't be #{text[0, 100].inspect}",
            "it takes the price of an hour of a vCPU and of a GiB of memory: vcpu=0.04,gb=0.005")
        end

        # @return [Hash{Symbol => Integer}] from_s and to_s
        def span_of(values, now_s)
          to_s = values.fetch(:until, now_s)
          from_s = values.fetch(:since, to_s - SINCE_S)
          unless from_s < to_s
            raise UsageError.new("--since is not before --until",
              "there would be no recording; swap or correct them")
          end
          {from_s:, to_s:}
        end

        # @return [String] "2026-11-21 12:00 - 2026-11-21 14:00"
        def span_text(from_s:, to_s:)
          [from_s, to_s].map { |second| Time.at(second).strftime("%Y-%m-%d %H:%M") }.join(" - ")
        end

        # @return [String] options that make another command read the same recording; a password is not shown,
        #   because reports are passed on
        def again(from_s:, to_s:, origin: Queries::Origin.new, store: nil)
          from, to = [from_s, to_s].map { |second| Time.at(second).utc.strftime("%FT%TZ") }
          words = ["--since", from, "--until", to]
          origin.limits.each { |part, name| words.push("--#{part}", name) }
          words.push("--store", Store.redact(store)) if store
          Shellwords.join(words)
        end
      end
    end
  end
end
