# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Doctor::ExaminationTest < Minitest::Test
  include CommandLine

  NOW_S = SampleWindows::START_S + 240
  MEASURE = <<~'RUBY'
    require "holdup/agent/probe"
    probe = Holdup::Probe
    probe.enable
    start = File.read("/proc/self/stat").rpartition(")").last.split[19]
    probe.open_segment(File.join(ARGV[0], "#{Process.pid}-#{start}.segment"), 200, 4096, 0, 0)
    probe.setting = %({"jit":"off","threads":1})
    probe.tick(Array.new(21))
    25.times { |i| probe.record(probe.enter, 1, "A", nil, (i < 5) ? 1000 : nil, false) }
    puts "ready"
    $stdout.flush
    $stdin.read
  RUBY

  def setup
    @dir = Dir.mktmpdir
  end

  def teardown
    FileUtils.rm_rf(@dir)
  end

  def examine(dir: @dir, segments: Holdup::Doctor::SegmentFacts, &open_store)
    open_store ||= -> { raise Holdup::Error.new("no store", "make one") }
    Holdup::Doctor::Examination.new(dir:, clock: CommandLine::Still.new(now_s: NOW_S), open_store:,
      segments:).call
  end

  def test_what_it_sees_of_ruby_and_folder
    host = examine
    assert_equal [RUBY_DESCRIPTION, nil], [host.ruby, host.unsupported]
    assert_includes %w[counter monotonic], host.clock_source
    assert_equal [:ok, false, [], []], [host.dir_state, host.collector, host.segments, host.refused]
    assert_equal :missing, examine(dir: "#{@dir}/none").dir_state
  end

  def test_the_machine_and_what_shows_its_load
    store = Holdup::Store::Memory.new
    store.commit(SampleWindows.new.to_a, {}, processes: SampleProcesses.new.to_a)
    host = examine { store }
    assert_equal [["web-1", 3]], host.machines.map { |machine| [machine.host, machine.processes] }
    assert_equal [16.0, 21.0, 42.0], host.signals.values_at(:busy, :threads, :backlog)
    assert_operator host.signals[:queued_p95_ns], :>, 0
  end

  def test_a_store_that_can_not_be_opened_is_a_fact
    host = examine
    assert_nil host.store
    assert_equal "no store; make one", host.store_problem.message
  end

  def test_the_newest_of_the_store
    with_store do |path|
      host = examine { Holdup::Store.open(path, read_only: true) }
      assert_equal SampleWindows::START_S + 120, host.store[:newest_s]
    end
  end

  def test_a_process_that_measures
    skip "needs the extension" unless Holdup::Probe.supported?
    measuring do |pid|
      host = examine
      process = host.segments.first
      assert_equal [pid, true, false, 25, 5],
        [process.pid, process.alive, process.closed, process.requests, process.queued]
      assert_equal "off", process.setting["jit"]
      assert_equal 25, host.counter(:units)
    end
    refute examine.segments.first.alive
  end

  def test_names_a_file_that_is_not_a_segment_and_keeps_it
    File.binwrite(file = File.join(@dir, "1-1.segment"), "x" * 5000)
    File.binwrite(File.join(@dir, "2-2.segment"), "")
    host = examine
    assert_equal [0, 2], [host.segments.size, host.refused.size]
    assert_match(/1-1\.segment is not a segment of Holdup/, host.refused.first)
    assert_path_exists file
  end

  def test_the_command_says_it_and_fails_when_something_failed
    with_store do |store|
      said = holdup("doctor", "--dir", @dir, "--store", store, now_s: NOW_S)
      assert_equal [0, ""], [said.status, said.err]
      assert_match(/^warn  No running process measures/, said.out)
    end
    said = holdup("doctor", "--dir", @dir, "--store", "#{@dir}/none.sqlite3", "--lang", "ja")
    assert_equal 1, said.status
    assert_match(/^異常  ストア .* がありません/, said.out)
  end

  private

  def measuring
    lib = File.expand_path("../../../lib", __dir__)
    IO.popen([RbConfig.ruby, "-I#{lib}", "-e", MEASURE, @dir], "r+") do |process|
      assert_equal "ready\n", process.gets
      yield process.pid
      process.close_write
      process.read
    end
  end
end
