# frozen_string_literal: true

require_relative "../config_line"

module Holdup
  module Servers
    class Puma
      # Where each setting of a Puma comes from: its command line, a line of its configuration file, or a
      # variable of the environment, which Puma reads by itself or which such a line reads.
      class SettingSource
        # Option => what it is called in a configuration file.
        WORDS = {max_threads: "threads", workers: "workers", max_io_threads: "max_io_threads", preload_app: "preload_app",
                 fork_worker: "fork_worker"}.freeze
        # Option => the variables that Puma reads, the strongest first.
        VARIABLES = {max_threads: %w[PUMA_MAX_THREADS MAX_THREADS], workers: %w[WEB_CONCURRENCY]}.freeze
        VARIABLE = /ENV(?:\.fetch\s*\(?\s*|\[)\s*["']([A-Za-z_]\w*)["']/
        WORD = /[a-z_]\w*/
        COMMAND_LINE = "command line"

        # @param config [Puma::Configuration]
        # @param env [Hash] the environment
        def initialize(config, env:)
          @options = config.options
          @files = config.config_files.compact.select { |path| File.file?(path) }.map { |path|
            File.expand_path(path)
          }
          @env = env
        end

        # @return [Hash{Symbol => String}] option => "config/puma.rb:12", "environment WEB_CONCURRENCY" or
        #   "command line"
        def to_h
          WORDS.keys.to_h { |option| [option, of(option)] }.compact
        end

        private

        def of(option)
          return (COMMAND_LINE if $PROGRAM_NAME.include?("puma")) if @options.user_options.key?(option)
          return written(WORDS.fetch(option)) if @options.file_options.key?(option)
          environment(VARIABLES.fetch(option, []))
        end

        def written(word)
          line = find(word) or return
          source = [line, *assignments(line.value)].find { |each| each.value.match?(VARIABLE) }
          (source && environment(source.value.scan(VARIABLE).flatten)) || source&.place || line.place
        end

        # `threads threads_count, threads_count` is decided where that variable is set.
        def assignments(value)
          value.scan(WORD).uniq.filter_map { |name| find(name) }.select { |line| line.value.start_with?("=") }
        end

        def environment(names)
          name = names.find { |each| !@env[each].to_s.empty? }
          "environment #{name}" if name
        end

        # The last file has the last word.
        def find(word)
          @files.reverse_each.lazy.filter_map { |path| ConfigLine.find(path, word) }.first
        end
      end
    end
  end
end
