# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # What a recording was made on, and what else this server and this Ruby could have.
      class Deployment
        # The first Puma with max_io_threads.
        IO_THREADS = 8

        OTHER = {request: :job, job: :request}.freeze

        def initialize(setting, kind:, members:)
          @setting = setting
          @kind = kind
          @members = members
        end

        # @return [Integer] of a host; a server without workers is one
        def processes
          return [@setting["workers"].to_i, 1].max if @kind == :request && @setting["workers"]
          by_host = @members.group_by(&:host).values
          each_host = by_host.map { |same| Analysis::Machine.concurrent(same).round }
          [each_host.max || @setting["job_processes"].to_i, 1].max
        end

        def threads
          configured = @setting[(@kind == :job) ? "job_threads" : "threads"]
          [configured || @members.filter_map(&:threads).max || 1, 1].max
        end

        # @return [Integer] of the threads that take units: those of job runners mostly have a priority below
        #   0
        def time_slice_ns
          return configured_slice_ns unless @kind == :job
          Scenario::ThreadPriority.slice_ns(configured_slice_ns, @setting["job_priority"].to_i)
        end

        def slices?
          RubyVersion.parse(@setting["ruby"]).sets_time_slice?
        end

        def threaded?
          @kind == :job || !Servers::ADAPTERS[@setting["server"]]&.one_at_a_time?
        end

        def knows_io_threads?
          @kind == :request && @setting["server"] == "puma" && @setting["server_version"].to_i >= IO_THREADS
        end

        # The requests that use them are unknown if some are allowed already.
        def io_threads?
          knows_io_threads? && @setting["max_io_threads"].nil?
        end

        # Whether requests and jobs share processes: both hold their GVL, and only one kind is sized.
        def concurrent_units?
          @members.any? { |member| member.takes?(OTHER.fetch(@kind)) }
        end

        # Units on fibers share a thread, and other Rubies have no shared GVL.
        def supported?
          return false unless ["ruby", nil].include?(@setting["engine"])
          @setting["fibers"] != true && @setting["job_pool"] != "fiber"
        end

        private

        def configured_slice_ns
          given = @setting["time_slice_ms"] or return Scenario::TIME_SLICE_NS
          Integer(given.to_s, 10, exception: false).to_i.clamp(10, 100_000) * MS
        end
      end
    end
  end
end
