# frozen_string_literal: true

module Stories
  # What a hosting company or a shell script does: it ends by SIGKILL each worker of a Puma that takes more
  # memory than it may.
  class WorkerWatchdog
    MASTER = /^\[(\d+)\] Puma starting in cluster mode/
    WORKER = /- Worker \d+ \(PID: (\d+)\) booted/
    KB = 1024
    INTERVAL_S = 0.2

    attr_reader :killed

    # @param limit_mb [Integer] MB of resident memory
    # @yieldreturn [String] what Puma said so far
    def initialize(limit_mb:, &log)
      @limit_mb = limit_mb
      @log = log
      @killed = []
    end

    # @return [Object] the block's value; the workers are watched meanwhile
    def watch
      done = false
      thread = Thread.new { look until done }
      thread.report_on_exception = false # join raises it
      yield
    ensure
      done = true
      thread&.join
    end

    # @return [Hash{Integer => Integer}] MB of resident memory by the pids of workers
    def workers
      said = @log.call
      master = said[MASTER, 1] or return {}
      said.scan(WORKER).flatten.to_h { |pid| [pid.to_i, resident_mb(pid, master)] }.compact
    end

    private

    def look
      workers.each do |pid, resident_mb|
        next if resident_mb <= @limit_mb
        Process.kill(:KILL, pid)
        @killed |= [pid]
      rescue Errno::ESRCH
        nil # it ended meanwhile
      end
      IO.select(nil, nil, nil, INTERVAL_S)
    end

    # nil: it is gone, or dead, or its pid is another program's.
    def resident_mb(pid, master)
      status = File.read("/proc/#{pid}/status")
      return unless status[/^PPid:\s+(\d+)/, 1] == master
      resident_kb = status[/^VmRSS:\s+(\d+)/, 1]
      resident_kb && resident_kb.to_i / KB
    rescue SystemCallError
      nil
    end
  end
end
