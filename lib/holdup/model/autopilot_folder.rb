# frozen_string_literal: true

require_relative "experiment_plan"

module Holdup
  # What the autopilot keeps in a folder of segments besides its plans, so that workers, collectors and users
  # tell each other without a connection: the freeze switch, what workers took back by themselves, and why a
  # plan ended.
  class AutopilotFolder
    FREEZE = "autopilot.freeze"
    REVERTED = "autopilot.reverted"
    ENDED = "autopilot.ended"
    STATE = "autopilot.state"
    VARIABLE = "HOLDUP_AUTOPILOT_FREEZE"
    # The latest lines that are read.
    MOST_BYTES = 4000
    STATE_BYTES = 100_000

    # A worker's line. `id`: of the plan; `value`: that it took back; `at_s`: since 1970
    TakenBack = Data.define(:id, :value, :at_s, :pid, :why)

    # The collector's line. `id`: of the plan that ended; `at_s`: since 1970; `by`; `why`
    EndedPlan = Data.define(:id, :at_s, :by, :why)

    # @param env [Hash{String => String}, ENV]
    # @return [Boolean] whether a variable of this process's environment stops the autopilot
    def self.frozen_by?(env) = !["", "0", "false", "no", "off"].include?(env[VARIABLE].to_s.downcase)

    def initialize(folder)
      @folder = folder
      @seen = nil
      @reverted = []
    end

    def plan_file = @plan_file ||= ExperimentPlan::PlanFile.new(@folder)

    def kept_file = @kept_file ||= ExperimentPlan::PlanFile.new(@folder, ExperimentPlan::PlanFile::KEPT)

    def frozen_by_file? = File.exist?(path(FREEZE))

    # @param by [String] who asks for it
    # @raise [SystemCallError]
    def freeze_changes(by) = append(FREEZE, "#{one_line(by)}\n")

    # @return [String, nil] who froze it last, if the switch is on; a variable's name for a variable
    def frozen_by(env)
      return VARIABLE if self.class.frozen_by?(env)
      frozen_by_file? ? last_lines(FREEZE).last.to_s : nil
    end

    # @return [Boolean] whether it was frozen
    # @raise [SystemCallError]
    def thaw
      File.unlink(path(FREEZE))
      true
    rescue Errno::ENOENT
      false
    end

    # @param plan [ExperimentPlan] whose candidate a worker took back
    # @raise [SystemCallError]
    def take_back(plan, at_s:, why:)
      append(REVERTED, "#{plan.id} #{plan.values.last} #{at_s} #{Process.pid} #{one_line(why)}\n")
    end

    # The caller does this before it removes the plan: workers read here why.
    # @raise [SystemCallError]
    def end_plan(id, at_s:, by:, why:)
      append(ENDED, "#{[id, at_s, one_line(by), one_line(why)].join("\t")}\n")
    end

    # @return [EndedPlan, nil] the last time that a plan of that id ended
    def ended(id)
      lines = last_lines(ENDED).map { |line| line.split("\t", 4) }
      found = lines.reverse.find { |parts| parts.first == id && parts.size == 4 } or return
      EndedPlan.new(id:, at_s: found[1].to_i, by: found[2], why: found[3])
    end

    # Costs one system call unless a worker has added a line.
    # @return [Array<TakenBack>] oldest first
    def taken_back
      stat = File.stat(path(REVERTED))
      seen = [stat.ino, stat.size, stat.mtime.to_r]
      return @reverted if seen == @seen
      @seen = seen
      @reverted = last_lines(REVERTED).filter_map { |line| parse(line) }
    rescue SystemCallError
      @seen = nil
      @reverted = []
    end

    # @return [String, nil] as the collector left it
    def state
      File.open(path(STATE), File::RDONLY | File::NOFOLLOW) { |file| file.read(STATE_BYTES) }
    rescue SystemCallError
      nil
    end

    # Readers see the old text or the new one.
    # @raise [SystemCallError]
    def write_state(text)
      whole = "#{path(STATE)}.#{Process.pid}"
      File.write(whole, text, perm: 0o600)
      File.rename(whole, path(STATE))
    end

    private

    def path(name) = File.join(@folder, name)

    # @return [Array<String>] without newlines
    def last_lines(name)
      File.open(path(name), File::RDONLY | File::NOFOLLOW) do |file|
        offset = [file.size - MOST_BYTES, 0].max
        file.pread(MOST_BYTES, offset).force_encoding(Encoding::UTF_8).scrub.lines(chomp: true)
      end
    rescue SystemCallError, EOFError
      []
    end

    def append(name, line)
      flags = File::WRONLY | File::CREAT | File::APPEND | File::NOFOLLOW
      File.open(path(name), flags, 0o600) { |file| file.syswrite(line) }
    end

    def one_line(text) = text.to_s.gsub(/\s+/, " ").strip[0, 300]

    def parse(line)
      id, value, at_s, pid, why = line.split(" ", 5)
      numbers = [value, at_s, pid].map { |text| Integer(text.to_s, 10, exception: false) }
      TakenBack.new(id, *numbers, why.to_s) if numbers.all?
    end
  end
end
