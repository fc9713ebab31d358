# frozen_string_literal: true

require "holdup/loader"

# A real server with the autopilot on, and the collector that decides, in a process of its own that a test can
# kill. The candidate and the verdict are scripted.
module PilotedServer
  # A collector whose inquiry answers from its arguments: what to try, then the verdict.
  COLLECTOR = <<~RUBY
    require "holdup/loader"
    dir, store, lever, value, verdict = ARGV
    inquiry = Class.new do
      define_method(:ask) { |question, **| @question = question }
      define_method(:poll) do
        asked, @question = @question, nil
        if asked == :verdict
          id = Holdup::ExperimentPlan::PlanFile.new(dir).read&.id
          {"id" => id, "key" => verdict, "why" => "scripted"}
        elsif asked
          {lever => value.to_i, "why" => "scripted", "grade" => "a", "fresh" => true, "load" => 1.0}
        end
      end
      define_method(:close) {}
    end
    clock = Holdup::Clock.new
    log = Holdup::Log.new { $stdout }
    kind = Holdup::Autopilot::CollectorPart
    decision = Holdup::Autopilot::Decision.new(quiet_s: 0, ask_every_s: 0, grace_s: 2)
    autopilot = kind.new(dir:, inquiry: inquiry.new, log:, clock:, env: ENV, interval: 0.3, decision:)
    $stdout.sync = true
    store = Holdup::Store.open(store)
    Holdup::Collector.new(store:, directory: dir, log:, clock:, interval: 0.3, autopilot:).run
  RUBY

  private

  def collectors = @collectors ||= []

  # @return [Integer] pid
  def collector(app, lever: "threads", value: 2, verdict: "running", store: app.store)
    program = [*ServedApp::BUNDLED_RUBY, "-I#{ServedApp::ROOT}/lib", "-e", COLLECTOR]
    pid = Process.spawn({"HOLDUP_DIR" => app.dir}, *program, app.dir, store, lever, value.to_s, verdict,
      chdir: ServedApp::ROOT, out: [collectors_log_path(app), "a"], err: %i[child out])
    collectors << pid
    pid
  end

  def collectors_log_path(app) = File.join(app.root, "collector.log")

  def collectors_log(app)
    File.exist?(collectors_log_path(app)) ? File.read(collectors_log_path(app)) : ""
  end

  def kill(pid)
    Process.kill(:KILL, pid)
    Process.wait(pid)
  rescue Errno::ESRCH, Errno::ECHILD
    nil
  ensure
    collectors.delete(pid)
  end

  def files(app) = Holdup::AutopilotFolder.new(app.dir)

  def plan(app) = files(app).plan_file.read

  def now_s = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  # One round of a collector without an autopilot.
  def collect(app)
    log = Holdup::Log.new { $stderr }
    Holdup::Collector.new(store: Holdup::Store.open(app.store), directory: app.dir, log:).once
  end

  # @return [Array<Holdup::AuditEntry>]
  def changes(app)
    store = Holdup::Store.open(app.store, read_only: true)
    store.audit_entries(0, 1 << 40)
  ensure
    store&.close
  end

  # @return [Array<Array>] event, values, actor and the number of processes
  def changes_by_event(app)
    groups = changes(app).group_by { |one| [one.event, one.from, one.to, one.who] }
    groups.map { |key, same| [*key, same.map(&:pid).uniq.size] }
  end
end
