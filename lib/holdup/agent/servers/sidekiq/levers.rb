# frozen_string_literal: true

require_relative "../identity"

module Holdup
  module Servers
    class Sidekiq
      # Settings of a Sidekiq process that a restart can change: a manager makes its threads once, and a
      # thread gets its priority when it is made.
      class Levers
        # Sidekiq::Manager (sidekiq/manager.rb) reads the concurrency of its capsule in `initialize`, and has
        # no method that adds a processor or ends one. `Capsule#concurrency=` comes too late then.
        FIXED = :sidekiq

        # @param priority [Integer, nil] of the threads; nil without such a setting
        def initialize(capsules, priority:, written:)
          @capsules = capsules
          @priority = priority
          @written = written
        end

        def to_a
          [*@capsules.map { |capsule| concurrency(capsule) }, processes, *thread_priority]
        end

        private

        # Has the capsule's name, because a process may have several.
        def concurrency(capsule)
          return default(capsule) if capsule.name == "default"
          place = @written.concurrency(capsule.name, capsule.concurrency)
          Lever.new(name: "concurrency #{capsule.name}", value: capsule.concurrency, write: "concurrency = N",
            how: :sidekiq_capsule, facts: {"capsule" => capsule.name}, where: place&.where)
        end

        def default(capsule)
          place = @written.concurrency("default", capsule.concurrency)
          change = place&.change || @written.usual
          Lever.new(name: "concurrency", value: capsule.concurrency, **change, where: place&.where)
        end

        def processes
          Lever.new(name: "processes", value: nil, write: "SIDEKIQ_COUNT=N", how: :sidekiq_processes)
        end

        def thread_priority
          return unless @priority
          where = @written.thread_priority(@priority)&.where
          Lever.new(name: "thread_priority", value: @priority, write: "config.thread_priority = N",
            how: :sidekiq_priority, where:)
        end
      end

      # Where a setting of Sidekiq is written. Its Ruby code runs last and is strongest, then the command
      # line, the YAML file, and RAILS_MAX_THREADS. A place counts only when its value is in effect; otherwise
      # something unknown has overridden it.
      class SettingSource
        # - `value`: what is written there, nil for an expression
        # - `change`: of a Lever: `write`, `how` and `facts`; `where`: a SettingPlace
        Location = Data.define(:value, :change, :where)

        OPTION = /\A(?:-c|--concurrency(?:=|\z))\s*(\d*)/
        VARIABLE = "RAILS_MAX_THREADS"
        EMBEDDED = {write: "config.concurrency = N", how: :sidekiq_embedded}.freeze
        USUAL = {write: "sidekiq -c N", how: :sidekiq_usual}.freeze
        CODE = {write: "config.concurrency = N"}.freeze
        COMMAND = {write: "sidekiq -c N"}.freeze
        FILES = "config/{initializers/*,puma,sidekiq}.rb"
        LONGEST_FILE = 100_000

        # @param embedded [Boolean] whether command line, YAML file and variable belong to another server
        def initialize(config, embedded:, env:, arguments:, root:)
          @config = config
          @embedded = embedded
          @env = env
          @arguments = arguments
          @root = root
        end

        # @return [Hash{Symbol => Object}] how to set concurrency where it is not set yet, of a Lever
        def usual
          @embedded ? EMBEDDED : USUAL
        end

        def concurrency(capsule, value)
          places = ruby_places(capsule, "concurrency", CODE)
          places += yaml_places(capsule)
          places += command_line + variable if capsule == "default" && !@embedded
          pick(places, value)
        end

        def thread_priority(value)
          pick(ruby_places("default", "thread_priority", nil), value)
        end

        private

        def pick(places, value)
          places.find { |place| place.value.nil? || place.value == value }
        end

        def command_line
          at = @arguments.index { |argument| OPTION.match?(argument) } or return []
          text = @arguments[at][OPTION, 1]
          value = (text.empty? ? @arguments[at + 1] : text).to_i
          [Location.new(value, COMMAND, SettingPlace::COMMAND_LINE)]
        end

        def variable
          return [] unless @env[VARIABLE]
          [Location.new(@env[VARIABLE].to_i, {write: "#{VARIABLE}=N"}, SettingPlace.variable(VARIABLE))]
        end

        def yaml_places(capsule)
          file = @config[:config_file]
          return [] if @embedded || !file
          keys = (capsule == "default") ? %w[concurrency] : ["capsules", capsule, "concurrency"]
          name = relative(file)
          yaml = YamlLines.new(text(File.expand_path(file, @root)), name)
          places = yaml.find(@config[:environment].to_s, keys)
          change = {write: ":concurrency: N", how: :in_file, facts: {"file" => name}}
          places.map { |value, where| Location.new(value, change, where) }
        end

        def ruby_places(capsule, setting, change)
          @ruby ||= RubyLines.new(ruby_files.to_h { |file| [relative(file), text(file)] })
          @ruby.find(capsule, setting).map { |value, where| Location.new(value, change, where) }
        end

        def ruby_files
          required = File.expand_path(@config[:require].to_s, @root)
          configuration = Dir.glob(FILES, base: @root).map { |file| File.join(@root, file) }
          [required, "#{required}.rb", *configuration].uniq.select { |file| File.file?(file) }
        end

        def text(file)
          File.read(file, LONGEST_FILE, encoding: "UTF-8").to_s.scrub
        end

        def relative(file)
          File.expand_path(file, @root).delete_prefix("#{@root}/")
        end
      end

      # Finds an assignment to a capsule in Ruby files, by lines and indentation:
      #
      #   config.concurrency = 5                    # of "default"
      #   config.capsule("single") do |capsule|
      #     capsule.concurrency = 1                 # of "single"
      #   end
      class RubyLines
        CAPSULE = /\A(\s*).*(?:\bcapsule\(\s*[:"']([^"')]+)["']?\s*\)|\b(default)_capsule\b)/
        CLOSED = /\}\s*\z|\bend\s*\z/
        DEFAULT = "default"
        COMMENT = /\A\s*#/

        # @param files [Hash{String => String}] relative path => text
        def initialize(files)
          @files = files.select { |_, text| text.include?("idekiq") }
        end

        # @return [Array<(Integer or nil, String)>] number (nil for an expression) and "file:line", last line
        #   first
        def find(capsule, setting)
          places = @files.flat_map do |file, text|
            lines(text, capsule, setting).map { |value, line| [value, "#{file}:#{line}"] }
          end
          places.reverse
        end

        private

        def lines(text, wanted, setting)
          assignment = /\.#{setting}\s*=\s*(-?\d+\b\s*(?=$|[#;}]|if|unless|end))?/
          each_with_capsule(text).filter_map do |line, number, capsule|
            [Regexp.last_match(1)&.to_i, number] if capsule == wanted && assignment.match(line)
          end
        end

        # @return [Array<(String, Integer, String)>] each line of code, its number, its block's capsule
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

      # Finds a key of config/sidekiq.yml with its line by indentation: a YAML parser has no line numbers, and
      # the file may contain ERB.
      class YamlLines
        KEY = /\A(\s*):?["']?([\w.-]+)["']?:\s*(.*)/
        # `path`: keys from the outermost; `value`: a number or nil; `place`: "name:line"
        YamlValue = Data.define(:path, :value, :place)
        private_constant :YamlValue

        def initialize(text, name)
          @text = text
          @name = name
        end

        # @param environment [String] whose section overrides the rest
        # @param keys [Array<String>] outermost first
        # @return [Array<(Integer or nil, String)>] number (nil for anything else) and "name:line"
        def find(environment, keys)
          entries = [[environment, *keys], keys].filter_map do |path|
            all_entries.reverse.find { |entry| entry.path == path }
          end
          entries.map { |entry| [entry.value, entry.place] }
        end

        private

        def all_entries
          open = []
          @all_entries ||= @text.each_line.with_index(1).filter_map do |line, number|
            match = KEY.match(line) or next
            indentation = match[1].size
            open.pop while open.any? && open.last.first >= indentation
            open.push([indentation, match[2]])
            value = Integer(match[3].sub(/\s*#.*/, "").strip, exception: false)
            YamlValue.new(open.map(&:last), value, "#{@name}:#{number}")
          end
        end
      end
    end
  end
end
