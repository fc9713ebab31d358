# frozen_string_literal: true

require_relative "ruby_lines"
require_relative "yaml_lines"

module Holdup
  module Servers
    class Sidekiq
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
    end
  end
end
