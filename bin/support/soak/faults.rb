# frozen_string_literal: true

require_relative "fault_shop"
require_relative "memory_cgroup"

module Soak
  # What can go wrong with a running application and its collector. Each method does it, and returns when it
  # is over.
  class Faults
    # A fault that can't be injected on this machine.
    NotHere = Class.new(StandardError)

    # What is done, in the words of the table.
    ALL = {
      worker_kill: "SIGKILL of a web worker",
      sidekiq_kill: "SIGKILL of Sidekiq",
      collector_kill: "SIGKILL of the collector",
      worker_stop: "SIGSTOP of a web worker",
      collector_stop: "SIGSTOP of the collector",
      full_tmpfs: "full tmpfs of the segments",
      full_tmpfs_at_boot: "full tmpfs while a worker boots",
      full_disk: "full disk of the store",
      read_only_store: "read-only store (EROFS)",
      io_error: "EIO at each write to the store",
      clock_ahead: "clock set an hour ahead, and back",
      clock_behind: "clock set an hour back, and ahead",
      hot_restart: "hot restart of Puma (SIGUSR2)",
      phased_restart: "phased restart of Puma (SIGUSR1)",
      memory_limit: "memory limit hit (cgroup)",
      forks: "forks of a measured process, a tenth killed"
    }.freeze
    MOMENT_S = 3
    HOUR_S = 3600
    PATIENCE_S = 60

    # @param shop [FaultShop]
    # @param options [SoakOptions]
    def initialize(shop, options)
      @shop = shop
      @options = options
      @random = Random.new(options.seed)
    end

    # @param name [Symbol] of ALL
    # @raise [NotHere]
    def inject(name) = public_send(name)

    def worker_kill
      Process.kill(:KILL, @shop.workers.sample(random: @random))
      pause(MOMENT_S)
    end

    def sidekiq_kill
      Process.kill(:KILL, @shop.children.pid(:sidekiq))
      @shop.restart_sidekiq
    end

    def collector_kill
      Process.kill(:KILL, @shop.leading)
    end

    def worker_stop = stopped(@shop.workers.sample(random: @random))

    def collector_stop = stopped(@shop.leading)

    def full_tmpfs
      mounted
      @shop.filled(:segments) { pause(@options.hold) }
    end

    # A worker that finds no space for its segment.
    def full_tmpfs_at_boot
      mounted
      @shop.filled(:segments) do |filler|
        replaced(-> { @shop.fill(filler) }) { |worker| Process.kill(:KILL, worker) }
        pause(@options.hold)
      end
    end

    def full_disk
      mounted
      @shop.filled(:store) { pause(@options.hold) }
    end

    def read_only_store = shimmed(error: Errno::EROFS::Errno)

    def io_error = shimmed(error: Errno::EIO::Errno)

    def clock_ahead = shimmed(offset_s: HOUR_S)

    def clock_behind = shimmed(offset_s: -HOUR_S)

    def hot_restart = all_replaced { Process.kill(:USR2, @shop.master) }

    def phased_restart = all_replaced { Process.kill(:USR1, @shop.master) }

    # A worker that serves needs more than its cgroup may have.
    def memory_limit
      MemoryCgroup.around do |limit|
        limit.add(@shop.master)
        replaced { |worker| Process.kill(:KILL, worker) }
        limit.close
        wait_until { limit.kills.positive? }
        limit.open
      end
    end

    def forks
      script = [RbConfig.ruby, "-W0", "-I#{File.expand_path("../../../lib", __dir__)}",
        File.expand_path("fork_storm.rb", __dir__)]
      log = File.join(@shop.folder, "forks.log")
      counts = [@options.forks, @options.forks / 10].map(&:to_s)
      env = {**@shop.script_env, "RUBYOPT" => nil}
      @shop.children.start(:forks, env, *script, *counts, out: log, err: %i[child out])
      pause(0.2) while @shop.children.alive?(:forks)
    end

    private

    def stopped(pid)
      Process.kill(:STOP, pid)
      pause(@options.stop)
      Process.kill(:CONT, pid)
    rescue Errno::ESRCH
      nil # Puma has killed a worker that did not report
    end

    def shimmed(**what)
      @shop.shim.set(**what)
      pause(@options.hold)
    ensure
      @shop.shim.set
    end

    def mounted
      raise NotHere, "needs root to mount a tmpfs" unless @shop.mounted?
    end

    # @param meanwhile [#call] again and again, until another worker has booted
    def replaced(meanwhile = -> {})
      worker = @shop.workers.sample(random: @random)
      yield worker
      wait_until do
        meanwhile.call
        !@shop.workers.include?(worker) && booted?
      end
    end

    def booted?
      workers = @shop.workers
      workers.size == FaultShop::WORKERS && workers.all? { |worker| @shop.booted?(worker) }
    end

    def all_replaced
      before = @shop.workers
      yield
      wait_until { (@shop.workers & before).empty? && booted? }
    end

    def wait_until
      deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + PATIENCE_S
      until yield
        if Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline
          raise Demo::Failure, "nothing came of the fault within #{PATIENCE_S} s:\n#{@shop.last_words}"
        end
        pause(0.1)
      end
    end

    def pause(seconds) = IO.select(nil, nil, nil, seconds)
  end
end
