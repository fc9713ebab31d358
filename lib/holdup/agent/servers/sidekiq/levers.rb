# frozen_string_literal: true

require_relative "../lever"

module Holdup
  module Servers
    class Sidekiq
      # What of a Sidekiq process a person can turn. Nothing of it works while it runs: a manager makes its
      # threads once, and a thread gets its priority when it is made.
      class Levers
        PROCESSES = "sidekiqswarm with SIDEKIQ_COUNT=N (Enterprise), else start as many processes"
        CAPSULE = "concurrency = N in config.capsule(%p)"
        PRIORITY = "config.thread_priority = N in Sidekiq.configure_server: each step below 0 halves the time slice of 100 ms"

        # @param capsules [Array<Sidekiq::Capsule>]
        # @param priority [Integer, nil] of the threads; nil where this Sidekiq has no such setting
        # @param written [SettingSource]
        def initialize(capsules, priority:, written:)
          @capsules = capsules
          @priority = priority
          @written = written
        end

        # @return [Array<Lever>]
        def to_a
          [*@capsules.map { |capsule| concurrency(capsule) }, processes, *thread_priority]
        end

        private

        # The others' names go with it, because a process may have several.
        def concurrency(capsule)
          return default(capsule) if capsule.name == "default"
          place = @written.concurrency(capsule.name, capsule.concurrency)
          Lever.new(name: "concurrency #{capsule.name}", value: capsule.concurrency,
            how: format(CAPSULE, capsule.name), where: place&.where)
        end

        def default(capsule)
          place = @written.concurrency("default", capsule.concurrency)
          Lever.new(name: "concurrency", value: capsule.concurrency, how: place&.how || @written.usual,
            where: place&.where)
        end

        def processes
          Lever.new(name: "processes", value: nil, how: PROCESSES)
        end

        def thread_priority
          return unless @priority
          Lever.new(name: "thread_priority", value: @priority, how: PRIORITY,
            where: @written.thread_priority(@priority)&.where)
        end
      end

      # Where a setting of Sidekiq is written. Its own code runs last and so is stronger than the command
      # line, that is stronger than the YAML file, and RAILS_MAX_THREADS comes last. What is found must say
      # what applies; else it was overridden somewhere that we do not know, and is not told.
      class SettingSource
        # - `value`: what is written there, nil for an expression
        # - `how`: how to write another one; `where`: "config/sidekiq.yml:3"
        Location = Data.define(:value, :how, :where)

        OPTION = /\A(?:-c|--concurrency(?:=|\z))\s*(\d*)/
        VARIABLE = "RAILS_MAX_THREADS"
        EMBEDDED = "config.concurrency = N in Sidekiq.configure_embed"
        USUAL = "sidekiq -c N, or :concurrency: N in config/sidekiq.yml"
        CODE = "config.concurrency = N"
        # Where an application keeps what it tells Sidekiq.
        FOLDERS = "config/{initializers/*,puma,sidekiq}.rb"
        LONGEST_FILE = 100_000

        # @param config [Sidekiq::Config]
        # @param embedded [Boolean] then command line, YAML file and variable are another server's
        # @param env [Hash] the environment
        # @param arguments [Array<String>] of the command line
        # @param root [String] the application's folder
        def initialize(config, embedded:, env:, arguments:, root:)
          @config = config
          @embedded = embedded
          @env = env
          @arguments = arguments
          @root = root
        end

        # @return [String] how concurrency is set where nobody has
        def usual
          @embedded ? EMBEDDED : USUAL
        end

        # @param capsule [String] its name
        # @param value [Integer] what applies
        # @return [Location, nil]
        def concurrency(capsule, value)
          places = ruby.find(capsule, "concurrency").map { |found, where| Location.new(found, CODE, where) }
          places += yaml_places(capsule)
          places += command_line + variable if capsule == "default" && !@embedded
          pick(places, value)
        end

        # @param value [Integer] what applies
        # @return [Location, nil]
        def thread_priority(value)
          pick(
            ruby.find("default",
              "thread_priority").map { |found, where| Location.new(found, nil, where) }, value
          )
        end

        private

        def pick(places, value)
          places.find { |place| place.value.nil? || place.value == value }
        end

        def command_line
          at = @arguments.index { |argument| OPTION.match?(argument) } or return []
          text = @arguments[at][OPTION, 1]
          [Location.new((text.empty? ? @arguments[at + 1] : text).to_i, "sidekiq -c N", "the command line")]
        end

        def variable
          @env[VARIABLE] ? [Location.new(@env[VARIABLE].to_i, "#{VARIABLE}=N", VARIABLE)] : []
        end

        def yaml_places(capsule)
          file = @config[:config_file]
          return [] if @embedded || !file
          keys = (capsule == "default") ? %w[concurrency] : ["capsules", capsule, "concurrency"]
          YamlLines.new(text(File.expand_path(file, @root)), relative(file)).find(@config[:environment].to_s,
            keys)
            .map { |found, where|
            Location.new(found, ":concurrency: N in #{relative(file)}", where)
          }
        end

        def ruby
          @ruby ||= RubyLines.new(ruby_files.to_h { |file| [relative(file), text(file)] })
        end

        def ruby_files
          required = File.expand_path(@config[:require].to_s, @root)
          [required, "#{required}.rb",
            *Dir.glob(FOLDERS, base: @root).map { |file| File.join(@root, file) }].uniq.select { |file|
            File.file?(file)
          }
        end

        def text(file)
          File.read(file, LONGEST_FILE, encoding: "UTF-8").to_s.scrub
        end

        def relative(file)
          File.expand_path(file, @root).delete_prefix("#{@root}/")
        end
      end

      # Finds an assignment to a capsule in Ruby files, by their lines and indentation:
      #
      #   config.concurrency = 5                    # of "default"
      #   config.capsule("single") do |capsule|
      #     capsule.concurrency = 1                 # of "single"
      #   end
      class RubyLines
        CAPSULE = /\A(\s*).*(?:\bcapsule\(\s*[:"']([^"')]+)["']?\s*\)|\b(default)_capsule\b)/
        # The block ends on the line on which it begins.
        CLOSED = /\}\s*\z|\bend\s*\z/
        DEFAULT = "default"
        COMMENT = /\A\s*#/

        # @param files [Hash{String => String}] text by relative path
        def initialize(files)
          @files = files.select { |_, text| text.include?("idekiq") }
        end

        # @param capsule [String]
        # @param setting [String] concurrency, thread_priority
        # @return [Array<(Integer or nil, String)>] the number, nil for an expression, with "file:line"; the
        #   last line first
        def find(capsule, setting)
          @files.flat_map { |file, text|
            lines(text, capsule,
              setting).map { |value, line| [value, "#{file}:#{line}"] }
          }.reverse
        end

        private

        def lines(text, wanted, setting)
          assignment = /\.#{setting}\s*=\s*(-?\d+\b\s*(?=$|[#;}]|if|unless|end))?/
          each_with_capsule(text).filter_map do |line, number, capsule|
            [Regexp.last_match(1)&.to_i, number] if capsule == wanted && assignment.match(line)
          end
        end

        # @return [Array<(String, Integer, String)>] each line of code, its number, whose block it stands in
        def each_with_capsule(text)
          block = nil
          text.each_line.with_index(1).filter_map do |line, number|
            next if COMMENT.match?(line)
            block = nil if block && line.match?(/\A#{block.first}(?:end|\})/)
            opened = block_of(line)
            block = opened if opened && !CLOSED.match?(line)
            [line, number, (opened || block)&.last || DEFAULT]
          end
        end

        def block_of(line)
          match = CAPSULE.match(line)
          [match[1], match[2] || match[3]] if match
        end
      end

      # Finds a key of config/sidekiq.yml with its line, by indentation: a YAML parser tells no lines, and the
      # file may have ERB in it.
      class YamlLines
        KEY = /\A(\s*):?["']?([\w.-]+)["']?:\s*(.*)/

        # @param text [String]
        # @param name [String] of the file, for "name:line"
        def initialize(text, name)
          @text = text
          @name = name
        end

        # @param environment [String] whose section is stronger than the rest
        # @param keys [Array<String>] from the outermost
        # @return [Array<(Integer or nil, String)>] the number, nil for anything else, with "name:line"
        def find(environment, keys)
          [[environment, *keys],
            keys].filter_map { |path| places.reverse.find { |found, *| found == path } }.map { |_, *place|
            place
          }
        end

        private

        def places
          open = []
          @places ||= @text.each_line.with_index(1).filter_map do |line, number|
            match = KEY.match(line) or next
            open.pop while open.any? && open.last.first >= match[1].size
            open.push([match[1].size, match[2]])
            [open.map(&:last), Integer(match[3].sub(/\s*#.*/, "").strip, exception: false),
              "#{@name}:#{number}"]
          end
        end
      end
    end
  end
end
