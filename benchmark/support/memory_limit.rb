# frozen_string_literal: true

require "holdup/loader"

module Bench
  # A group of processes of which the largest is killed when all of them have too much memory: by the kernel
  # where this machine lets us make a control group, else by a thread that does the same.
  module MemoryLimit
    # @param kernel [Boolean] false: by a thread in any case
    # @yieldparam group [ControlGroup, WatchedGroup]
    # @return [Object] the block's value
    def self.open(kernel: true)
      group = (kernel && ControlGroup.make) || WatchedGroup.new
      yield group
    ensure
      group&.close
    end

    # Inside the group that this process is in.
    class ControlGroup
      LIMITS = %w[memory.limit_in_bytes memory.max].freeze
      USAGES = %w[memory.usage_in_bytes memory.current].freeze
      COUNTS = %w[memory.oom_control memory.events].freeze
      KILLS = /^oom_kill (\d+)$/
      MEMBERS = "cgroup.procs"
      ENTER = 'echo $$ > "$0" && exec "$@"'
      LOOK_S = 0.05
      LOOKS = 200

      # @return [ControlGroup, nil] nil: this machine does not allow it
      def self.make
        around = Holdup::SettingFacts::Cgroup.new.folders("memory").first or return
        folder = File.join(around, "holdup-bench-#{Process.pid}")
        Dir.mkdir(folder)
        return new(folder) if LIMITS.any? { |name| File.writable?(File.join(folder, name)) }
        Dir.rmdir(folder)
        nil
      rescue SystemCallError
        nil
      end

      def initialize(folder)
        @folder = folder
      end

      def by_kernel? = true

      # @param command [Array<String>]
      # @return [Array<String>] the same inside the group, also what it starts
      def inside(command) = ["sh", "-c", ENTER, path(MEMBERS), *command]

      # @param bytes [Integer] that the processes may have beyond what they have now
      # @param _pids [#call]
      def limit(bytes, _pids)
        File.write(file(LIMITS), (File.read(file(USAGES)).to_i + bytes).to_s)
      end

      # @return [Integer] how many were killed
      def kills = File.read(file(COUNTS))[KILLS, 1].to_i

      # @return [Hash{Symbol => Object}] of Autopsies, where another process does not see the group
      def autopsies = {}

      # Ends what is still inside.
      def close
        LOOKS.times do
          members = File.readlines(path(MEMBERS)).map(&:to_i)
          break if members.empty?
          members.each { |pid| kill(pid) }
          IO.select(nil, nil, nil, LOOK_S)
        end
        Dir.rmdir(@folder)
      end

      private

      def path(name) = File.join(@folder, name)

      def file(names) = names.map { |name| path(name) }.find { |path| File.exist?(path) }

      def kill(pid)
        Process.kill(:KILL, pid)
      rescue Errno::ESRCH
        nil
      end
    end

    # Adds up the memory of processes again and again.
    class WatchedGroup
      LOOK_S = 0.005
      # Who they are takes a look at all processes of the machine. A new one has hardly any memory by then.
      WHO_S = 0.1
      PAGE_BYTES = 4096

      # As the collector reads a control group.
      CountedKills = Data.define(:group) do
        def folders(_controller) = ["/"]

        def read(_path) = "oom_kill #{group.kills}\n"
      end

      attr_reader :kills

      def initialize
        @kills = 0
      end

      def by_kernel? = false

      def inside(command) = command

      # @param bytes [Integer] likewise
      # @param pids [#call] of the processes
      def limit(bytes, pids)
        most = sizes(pids.call).sum(&:last) + bytes
        @watching = Thread.new { watch(pids, most) }
      end

      def autopsies
        {memory_kills: Holdup::Collector::Autopsies::MemoryKills.new(group: CountedKills.new(self))}
      end

      def close
        @closed = true
        @watching&.join
      end

      private

      def watch(pids, most)
        known = pids.call
        until @closed
          (WHO_S / LOOK_S).round.times do
            IO.select(nil, nil, nil, LOOK_S)
            found = sizes(known)
            kill_largest(found) if found.sum(&:last) > most
          end
          known = pids.call
        end
      end

      # The kernel also counts before the process is gone.
      def kill_largest(found)
        pid, = found.max_by(&:last)
        @kills += 1
        Process.kill(:KILL, pid)
        IO.select(nil, nil, nil, LOOK_S) while resident(pid).positive?
      rescue Errno::ESRCH
        @kills -= 1
      end

      def sizes(pids) = pids.map { |pid| [pid, resident(pid)] }

      # @return [Integer] bytes; 0: it is gone
      def resident(pid)
        File.read("/proc/#{pid}/statm").split[1].to_i * PAGE_BYTES
      rescue SystemCallError
        0
      end
    end
  end
end
