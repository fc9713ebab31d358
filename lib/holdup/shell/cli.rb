# frozen_string_literal: true

module Holdup
  # The command line: finds the command, turns each failure into one line that says what to do, and returns an
  # exit status (0 success, 1 failure, 2 wrong usage). Only the requested command is loaded.
  #
  #   exit Holdup::CLI.new.run(ARGV)
  class CLI
    OK = 0
    FAILED = 1
    MISUSED = 2
    SIGNALED = 128
    # After this time on a CPU, a command that can be brief collects garbage like all others.
    BRIEF_CPU_S = 0.6
    # What is asked without a command: options alone are those of this one.
    DEFAULT = "report"
    # What can be typed in place of a command.
    ALIASES = {
      "-h" => "help",
      "--help" => "help",
      "-v" => "version",
      "--version" => "version"
    }.freeze
    # Ruby adds its C function and the path to the message of a failed system call. Our sentence names the
    # path.
    INSIDES = / @ \w+(?: - [^)]*)?/

    # A command's only access to the outside: its output, the environment, the time.
    Console = Data.define(:out, :err, :env, :clock) do
      # @return [Console] of this process
      def self.system
        new(out: $stdout, err: $stderr, env: ENV, clock: Clock.new)
      end

      # @return [Integer, nil] what COLUMNS says, else columns of the terminal; nil in a pipe or file
      def columns
        said = Integer(env["COLUMNS"].to_s, 10, exception: false)
        return said if said&.positive?
        return unless out.tty?
        require "io/console"
        width = out.winsize.last
        width.positive? ? width : nil
      end

      # @return [Integer] columns of sentences
      def width
        (columns || 80).clamp(self.class::WIDTHS)
      end

      # A pipe or file has no width, so tables take the columns that they need.
      # @return [Numeric] columns of tables
      def table_width
        columns || Float::INFINITY
      end

      # @param wide [Boolean] whether tables cut no name, however wide they become
      # @return [Hash{Symbol => Object}] for texts
      def layout(wide: false)
        {width:, table_width: wide ? Float::INFINITY : table_width, style: View::Drawing::Style.for(out, env)}
      end

      # Prints a text, in a terminal that is too small for it by a pager.
      def show(text)
        out.write(text) unless out.tty? && Pager.new(out, env).show(text)
      end

      # Prints a line that the next one replaces; outside a terminal each line stays.
      def pass(text)
        err.tty? ? err.print("\r#{text}\e[K") : err.puts(text)
      end

      # Removes the last such line.
      def clear
        err.tty? && err.print("\r\e[K")
      end

      # Detects a closed pipe here instead of when Ruby exits.
      def flush
        out.flush
      end

      # The output is closed, and Ruby's own flush at exit must not fail.
      def discard
        out.reopen(IO::NULL, "w") if out.respond_to?(:reopen) && out.respond_to?(:fileno)
      end
    end
    # Columns of sentences: longer and shorter lines are harder to read.
    Console::WIDTHS = (40..100)

    # @param console [Console]
    def initialize(console: Console.system)
      @console = console
      @language = View::LocaleFiles::DEFAULT
    end

    def run(argv)
      ours = own_arguments(argv).map { |argument| Utf8.of(argument) }
      @debug = ours.include?("--debug")
      @language = language(ours)
      status = dispatch(ours - ["--debug"] + argv.drop(ours.size))
      @console.flush
      status
    rescue Errno::EPIPE # the reader has ended, as `head` does
      @console.discard
      OK
    rescue SignalException => error
      SIGNALED + error.signo
    rescue StoreError::Missing => error
      (argv == leading_language(argv)) ? nothing_yet(error) : complain(error)
    rescue LoadError, StandardError => error
      complain(error)
    end

    private

    def dispatch(argv)
      name, *arguments = named(argv)
      listed = Features.commands[name]
      collect_garbage(brief: listed&.entry&.brief)
      warn_of_variables if listed.nil? || listed.entry.warns
      Registry.fetch(name).call(arguments, @console)
    end

    # exe/holdup begins without. How long an answer takes depends on the store, too.
    def collect_garbage(brief:)
      was_off = GC.enable
      return unless was_off && brief
      GC.disable
      until_s = cpu_s + BRIEF_CPU_S
      Thread.new do
        sleep(0.05) while cpu_s < until_s
        GC.enable
      end
    end

    def cpu_s = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)

    # @return [Array<String>] beginning with a command
    def named(argv)
      language = leading_language(argv)
      left = argv.drop(language.size)
      first, *rest = left
      return [ALIASES.fetch(first), *language, *rest] if ALIASES.key?(first)
      ours = own_arguments(left)
      name, *arguments = CommandWords.find(ours, Features.commands)
      [name, *language, *arguments, *left.drop(ours.size)]
    end

    # @return [Array<String>] the option that names a language, with its value, if it comes first
    def leading_language(argv)
      flag = Options::LANGUAGE.flag
      return argv.first(2) if argv.first == flag
      argv.first.to_s.start_with?("#{flag}=") ? argv.first(1) : []
    end

    # @return [String] of errors; that of the environment where --lang names none that there is
    def language(ours)
      flag = Options::LANGUAGE.flag
      said = ours.each_cons(2).filter_map { |option, value| value if option == flag }.last
      said ||= ours.reverse.find { |argument| argument.start_with?("#{flag}=") }
        &.delete_prefix("#{flag}=")
      View::LocaleFiles::LANGUAGES.include?(said) ? said : Places.language(@console.env)
    end

    # Who only types `holdup` asks where to begin.
    def nothing_yet(error)
      @console.out.puts(texts.frame(:nothing_yet, location: error.facts.fetch(:location)))
      FAILED
    end

    # A mistyped variable has no effect: another store, say, is read than was meant.
    def warn_of_variables
      unknown = Configuration::Variables.unknown(@console.env)
      @console.err.puts("holdup: #{Configuration::Variables.warning(unknown)}") if unknown.any?
    end

    # Arguments before "--" are Holdup's; the rest belongs to the command that it runs.
    def own_arguments(argv)
      argv.take_while { |argument| argument != "--" }
    end

    def complain(error)
      text = error.is_a?(Error) ? said(error) : unexpected(error)
      sentence = Utf8.valid(text).lines.map(&:strip).join(" ").gsub(INSIDES, "")
      @console.err.puts("holdup: #{sentence}")
      @console.err.puts(error.full_message(highlight: false)) if @debug
      error.is_a?(UsageError) ? MISUSED : FAILED
    end

    def said(error)
      return error.message if @language == View::LocaleFiles::DEFAULT
      ErrorTexts.new(@language).call(error)
    rescue LoadError # `holdup exec` runs without the gems of the reports
      error.message
    end

    def unexpected(error)
      message = error.message
      return texts.frame(:gem_missing, message:) if error.is_a?(LoadError)
      gone = error.is_a?(Errno::ENOENT) && !WorkingFolder.there?
      return texts.frame(:folder_gone, folder: WorkingFolder.path) if gone
      texts.frame(:unexpected, message:, error: error.class)
    end

    def texts = HelpTexts.of(@language)
  end

  class CLI
    # Default locations: the same rules as inside the application, from the same table.
    module Places
      module_function

      # @return [String] folder of the segments
      def directory(env, given = nil)
        given ? path(given) : Configuration.build(env: Configuration.readable(env)).segment_dir
      end

      # @return [String] absolute
      # @raise [UsageError] it begins with ~, and there is no such home folder
      def path(given)
        Utf8.of(File.expand_path(given))
      rescue ArgumentError => error
        raise UsageError.new("#{given} is not the path of a file or folder (#{error.message})",
          "give one that begins with /")
      end

      # @return [String, nil] URL or path of the store in the option or environment
      def named_store(env, given = nil)
        given || Configuration.build(env: Configuration.readable(env)).store
      end

      # @return [String] the same, else the default
      def store(env, given = nil)
        named_store(env, given) || Store.default_url(env)
      end

      # @return [String, nil] folder of the captures: next to a store in a file; nil: there is none
      def captures(env, given = nil)
        Store.captures_dir(store(env, given), env)
      end

      # @return [Capture::Archive] of that folder
      # @raise [UsageError] there is none
      def archive(env, given = nil)
        folder = captures(env, given)
        return Holdup::Capture::Archive.new(folder) if folder
        raise UsageError.new("captures have no folder, because this user has no home folder",
          "set XDG_STATE_HOME to a folder")
      end

      # @return [String] the language of the environment's locale, else English
      def language(env)
        locale = env.values_at("LC_ALL", "LC_MESSAGES", "LANG").compact.reject(&:empty?).first
        View::LocaleFiles.language_of(locale) || View::LocaleFiles::DEFAULT
      end

      # Opens the store to read, and closes it.
      # @param origin [Queries::Origin] reads only what came from there
      # @yield [store]
      # @raise [UsageError] the store has no such application, host, role or revision
      def reading(env, given, origin: Queries::Origin.new)
        opened(env, given, read_only: true) { |store| yield origin.of(store) }
      end

      # Opens the store to write, and closes it.
      # @yield [store]
      def writing(env, given, &) = opened(env, given, read_only: false, &)

      def opened(env, given, **mode)
        url = store(env, given)
        store = Store.open(url, **mode)
        yield store
      ensure
        store&.close
      end
      private_class_method :opened
    end
  end
end
