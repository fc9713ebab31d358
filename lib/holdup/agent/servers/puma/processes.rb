# frozen_string_literal: true

require_relative "../live_lever"

module Holdup
  module Servers
    class Puma
      # The number of processes of a running cluster, which the autopilot may change. Only the master has it:
      # there ClusterSize sends SIGTTIN and SIGTTOU to its own process, as an operator would, and never to
      # another one. It follows the plan, its lease and the freeze switch itself, so the configured number
      # returns without a collector and whatever happens to workers. Workers learn from SharedSize what the
      # master has reached, and name the arms with it.
      class ClusterSize
        include LiveLever

        # Puma's signal handler changes the number at once; a master that has no CPU needs longer.
        PATIENCE_S = 10

        # @param options [#[]] of the launcher
        # @param shared [SharedSize]
        # @param workers [#call] gives [Puma::Cluster::WorkerHandle]
        # @param signal [#call] sends a signal to this process
        def initialize(options, shared:, workers:, log:, clock:,
          signal: ->(name) { Process.kill(name, Process.pid) })
          @options = options
          @shared = shared
          @workers = workers
          @log = log
          @clock = clock
          @signal = signal
          @configured = now
        end

        def name = "processes"

        # What the configuration, or an operator with signals, has set while no plan was followed.
        attr_reader :configured

        # @param value [Integer] at least 1
        def set(value)
          @wanted = value
          settled?
        end

        def restore = set(configured)

        # Asks for one process more or less, and waits until Puma knows it before it asks again.
        def settled?
          ask unless @wanted.nil? || now == @wanted
          now == (@wanted || now) && serving == now && @workers.call.size == now
        end

        # At each tick, before the plan is looked at.
        def install
          @wanted = nil if @wanted == @configured && now == @wanted
          @configured = now unless @wanted
        end

        # At each tick, after it.
        def share = @shared.write(configured:, wanted: now, serving:)

        private

        def now = @options[:workers].to_i

        # Those that take requests. One that was asked to end may still answer some.
        def serving = @workers.call.count { |worker| worker.booted? && !worker.term? }

        def ask
          return if @asked_at == now && @clock.monotonic_ns - @asked_ns < PATIENCE_S * 1_000_000_000
          @asked_at = now
          @asked_ns = @clock.monotonic_ns
          name = (now < @wanted) ? :TTIN : :TTOU
          @log.info("autopilot: processes #{now} -> #{(name == :TTIN) ? now + 1 : now - 1} " \
            "(SIG#{name} of the master to itself)")
          @signal.call(name)
        end
      end

      # What a master tells its workers of their number: a file without a name, which they inherit.
      class SharedSize
        # `configured`: without a plan; `wanted`: what Puma has been asked for; `serving`: those that take
        # requests
        Size = Data.define(:configured, :wanted, :serving)
        FORMAT = "Q<3"
        BYTES = 24

        # @param folder [String] of the segments
        # @raise [SystemCallError]
        def initialize(folder)
          path = File.join(folder, "cluster-size.#{Process.pid}")
          File.delete(path) if File.exist?(path) # of a process of the same pid that was killed in between
          flags = File::RDWR | File::CREAT | File::EXCL | File::NOFOLLOW
          @file = File.open(path, flags, 0o600, binmode: true)
          File.unlink(path)
        end

        def write(**numbers)
          size = Size.new(**numbers)
          return if size == @written
          @file.pwrite(size.to_h.values.pack(FORMAT), 0)
          @written = size
        end

        # @return [Size]
        def read = Size.new(*@file.pread(BYTES, 0).unpack(FORMAT))
      end

      # The same lever as a worker sees it: the master changes the number, the worker watches its response
      # times and says in its setting which number they belong to.
      class WorkerProcesses
        include LiveLever

        # So long a new process is slower than it will be: it has nothing in its caches and no compiled code.
        WARM_UP_S = 60

        # @param shared [SharedSize]
        # @param first [Integer] number with which Puma has started this process
        # @param changed [#call] called when `value` has changed
        def initialize(shared, first:, clock:, changed:)
          @shared = shared
          @first = @value = first
          @clock = clock
          @changed = changed
          @born_ns = clock.monotonic_ns
        end

        def name = "processes"

        # Number of processes that the cluster has, or is coming to.
        attr_reader :value

        def configured = @shared.read.configured

        def set(value)
          differs = value != @value
          @value = value
          @changed.call if differs
          settled?
        end

        def restore = set(configured)

        def settled?
          size = @shared.read
          size.wanted == @value && size.serving == @value
        end

        # New processes warm up first.
        def steady_s = ROUND_S + WARM_UP_S

        def warming_up? = @clock.monotonic_ns - @born_ns < WARM_UP_S * 1_000_000_000

        def joined?(value) = value == @first && value != configured
      end
    end
  end
end
