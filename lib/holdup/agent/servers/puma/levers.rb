# frozen_string_literal: true

require_relative "../identity"
require_relative "../live_lever"

module Holdup
  module Servers
    class Puma
      # Puma's settings that a user can change, and how, in the words of its version.
      class Levers
        # Puma 8 has Puma::Server#update_thread_pool_min_max.
        FIXED = :puma_before_8
        # Why its processes can't be changed, where config.autopilot names them.
        FIXED_SINGLE = :puma_single
        FIXED_UNAWARE = :puma_master_unaware
        # The command line overrides any file, also when the master restarts itself.
        COMMANDS = {
          max_threads: ["puma -t N:N", :puma_command],
          workers: ["puma -w N", :puma_command_workers]
        }.freeze

        # Created before options change (SIGTTIN), because it records where they come from.
        def initialize(launcher, env:)
          @options = launcher.options
          @sources = SettingSource.new(launcher.config, env:).to_h
        end

        def of(server)
          [threads(server), processes, *io_threads, *(cluster if workers > 0)]
        end

        private

        def workers = @options[:workers].to_i

        def threads(server)
          live = server.respond_to?(:update_thread_pool_min_max)
          lever("threads", :max_threads, server.max_threads, live:, write: "threads N, N",
            how: live ? :puma_threads_live : :puma_restart)
        end

        def processes
          cluster = workers > 0
          lever("processes", :workers, workers, live: cluster, write: "workers N",
            how: cluster ? :puma_workers : :puma_first_workers)
        end

        # Puma 8 and later versions have this setting.
        def io_threads
          io = @options[:max_io_threads] or return
          [lever("max_io_threads", :max_io_threads, io.to_i, write: "max_io_threads N",
            how: :puma_io_threads)]
        end

        def cluster
          [
            lever("preload", :preload_app, !!@options[:preload_app], how: :puma_preload),
            lever("fork_worker", :fork_worker, !!@options[:fork_worker], write: "fork_worker",
              how: :puma_refork)
          ]
        end

        def lever(name, option, value, how:, write: nil, live: false)
          where = @sources[option]
          write, how = COMMANDS.fetch(option, [write, how]) if SettingPlace.command_line?(where)
          Lever.new(name:, value:, write:, how:, live:, where:)
        end
      end

      # Where each Puma setting comes from: the command line, a line of its configuration file, or an
      # environment variable that Puma or such a line reads.
      class SettingSource
        # Option to its name in a configuration file.
        WORDS = {
          max_threads: "threads",
          workers: "workers",
          max_io_threads: "max_io_threads",
          preload_app: "preload_app",
          fork_worker: "fork_worker"
        }.freeze
        # Option to the environment variables that Puma reads for it.
        VARIABLES = {max_threads: %w[PUMA_MAX_THREADS MAX_THREADS], workers: %w[WEB_CONCURRENCY]}.freeze
        VARIABLE = /ENV(?:\.fetch\s*\(?\s*|\[)\s*["']([A-Za-z_]\w*)["']/
        WORD = /[a-z_]\w*/

        def initialize(config, env:)
          @options = config.options
          files = config.config_files.compact.select { |path| File.file?(path) }
          @files = files.map { |path| File.expand_path(path, WorkingFolder.path) }
          @env = env
        end

        # @return [Hash{Symbol => String}] option to its SettingPlace
        def to_h
          WORDS.keys.to_h { |option| [option, source_of(option)] }.compact
        end

        private

        def source_of(option)
          return command_line if @options.user_options.key?(option)
          return place_of(WORDS.fetch(option)) if @options.file_options.key?(option)
          environment(VARIABLES.fetch(option, []))
        end

        # `rails server` gives Puma user options too.
        def command_line
          SettingPlace::COMMAND_LINE if $PROGRAM_NAME.include?("puma")
        end

        def place_of(word)
          line = find(word) or return
          source = [line, *assignments(line.value)].find { |each| each.value.match?(VARIABLE) }
          return line.place unless source
          environment(source.value.scan(VARIABLE).flatten) || source.place
        end

        # Lines that assign the variable, for `threads threads_count, threads_count`.
        def assignments(value)
          value.scan(WORD).uniq.filter_map { |name| find(name) }.select { |line| line.value.start_with?("=") }
        end

        def environment(names)
          name = names.find { |each| !@env[each].to_s.empty? }
          SettingPlace.variable(name) if name
        end

        # The last file is the strongest.
        def find(word)
          @files.reverse_each.lazy.filter_map { |path| ConfigLine.find(path, word) }.first
        end
      end

      # The threads of a running Puma 8, as a live lever.
      #
      # Puma changes both limits at once (lib/puma/server.rb, update_thread_pool_min_max), but a lower one
      # only keeps it from starting threads. Those that are too many end when they are asked to and find no
      # request waiting (lib/puma/thread_pool.rb, trim), and Puma asks by itself only where both limits
      # differed at boot. So this asks. A pool whose requests always wait never comes to its target.
      class LiveThreads
        include LiveLever

        attr_reader :server

        # @param pool [#call] gives the server's Puma::ThreadPool; nil before it runs
        def initialize(server, pool:)
          @server = server
          @pool = pool
          @configured = [server.min_threads, server.max_threads]
          @wanted = server.max_threads
        end

        def name = "threads"

        # The highest number of threads that the configuration asks for.
        def configured = @configured.last

        # @param value [Integer] at least 1
        def set(value)
          @wanted = value
          apply
          settled?
        end

        # The pool returns to what is configured.
        def restore = set(configured)

        # Whether the pool has no more threads than wanted, and none that will end still: those could leave
        # it with too few later. (It starts threads when requests need them.)
        def settled?
          pool = @pool.call or return false
          apply unless pool.max == @wanted
          [pool.spawned - pool.trim_requested - @wanted, 0].max.times { pool.trim(true) }
          pool.spawned <= @wanted && pool.trim_requested.zero?
        end

        private

        def apply
          @server.update_thread_pool_min_max(min: [@configured.first, @wanted].min, max: @wanted)
        end
      end
    end
  end
end
