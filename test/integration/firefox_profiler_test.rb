# frozen_string_literal: true

require "test_helper"
require "json"
require "open3"
require "socket"
require "tmpdir"
require "holdup/capture/event_log"
require "holdup/loader"
require "support/sampled_methods"

# The Firefox Profiler itself, on a terminal, opens what we export for it and finds the same in it.
class FirefoxProfilerTest < Minitest::Test
  include SampledMethods

  FOLDER = File.expand_path("../viewers", __dir__)
  PROGRAM = File.join(FOLDER, "node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js")
  NODE = ["node", "--no-warnings", PROGRAM].freeze
  SESSION = "shown"

  def test_it_opens_the_export_and_finds_states_units_and_methods
    install
    Dir.mktmpdir do |folder|
      file = File.join(folder, "profile.json")
      File.write(file, Holdup::Captures::TraceFormats.call(scene, :firefox))
      in_viewer(folder, file) { |viewer| assert_seen(viewer) }
    end
  end

  def test_it_opens_the_profile_of_methods
    install
    Dir.mktmpdir do |folder|
      file = File.join(folder, "methods.json")
      File.write(file, Holdup::Captures::MethodProfile.call(summary, :firefox))
      in_viewer(folder, file) do |viewer|
        assert_match(/contains 2 threads across 1 process/, viewer.call("profile", "info"))
        functions = viewer.call("thread", "functions")
        assert_match(/Array#sort_by - self: 71(\.000)?ms \(71\.0%\)/, functions)
        assert_match(/SalesReport#rows - self: 0s .*total: 80(\.000)?ms/, functions)
      end
    end
  end

  private

  def assert_seen(viewer)
    assert_match(/contains 2 threads across 1 process.*srv 1 .*srv 2 /m, viewer.call("profile", "info"))
    functions = viewer.call("thread", "functions")
    assert_match(/Report#crunch - self: 40(\.000)?ms \(40\.0%\), total: 100(\.000)?ms/, functions)
    assert_match(/Array#sum - self: 60(\.000)?ms/, functions)
    markers = viewer.call("thread", "markers")
    %w[THREAD_RUNNING THREAD_SUSPENDED UNIT GC_PAUSE].each { |name|
      assert_match(/^ +#{name} +\d+ markers/, markers)
    }
  end

  # The hog holds until 100 ms and calls Array#sum from 40 ms on; the light unit is idle, waits, and holds
  # unseen.
  def scene
    crunch = ["Report#crunch", "/srv/report.rb", 12]
    sum = ["Array#sum", nil, 0]
    ring = EventRing.new(threads: {2 => "srv 1", 3 => "srv 2"}).running(2).idle(3)
    ring.begins(1, 2, 1 * MS).begins(2, 3, 2 * MS).ready(3, 10 * MS, unit: 2)
    ring.stack(2, 20 * MS, crunch, unit: 1).collected(2, 30 * MS, 31 * MS)
    ring.stack(2, 60 * MS, sum, crunch, unit: 1).ends(1, 2, 99 * MS, name: "GET /hog")
    ring.suspended(2, 100 * MS).resumed(3, 102 * MS, unit: 2).ends(2, 3, 110 * MS, name: "GET /light")
    Holdup::Captures::Timeline::Scene.new(ring.recording(to: 200 * MS))
  end

  def install
    return if File.exist?(PROGRAM)
    output, done = Open3.capture2e("npm", "ci", "--ignore-scripts", "--silent", chdir: FOLDER)
    assert done.success?, output
  end

  # A session of it is a process in the background, which all its commands ask. `load` starts that process
  # but gives up when it does not listen within half a second, as on a busy machine; so it is started here,
  # in the same way.
  def in_viewer(folder, file)
    env = {"PROFILER_CLI_SESSION_DIR" => folder}
    log = File.join(folder, "started.log")
    daemon = Process.spawn(env, *NODE, "--daemon", file, "--session", SESSION, %i[out err] => log)
    wait_until(every: 0.05) { loaded?(daemon, folder, log) }
    yield ->(*arguments) {
      output, done = Open3.capture2e(env, *NODE, *arguments)
      assert done.success?, output
      output
    }
  ensure
    end_process(daemon) if daemon
  end

  # Asked at its socket: another Node for each look would take the CPU that it loads with.
  def loaded?(daemon, folder, log)
    flunk "it has ended:\n#{File.read(log)}" if Process.wait(daemon, Process::WNOHANG)
    answer = UNIXSocket.open(File.join(folder, "#{SESSION}.sock")) do |socket|
      socket.puts(JSON.generate(type: "status"))
      JSON.parse(socket.gets || "{}")
    end
    flunk answer["error"] if answer["type"] == "error"
    answer["type"] == "ready"
  rescue Errno::ENOENT, Errno::ECONNREFUSED # it does not listen yet
    false
  end

  def end_process(pid)
    Process.kill(:KILL, pid)
    Process.wait(pid)
  rescue SystemCallError # it has ended by itself
    nil
  end
end
