# frozen_string_literal: true

require "test_helper"
require "support/measuring_process"
require "holdup/loader"

# An application that starts its collector, and waits for whatever children it has: the collector is none.
class WaitingApplicationTest < Minitest::Test
  include TemporaryFolder

  def setup
    @dir = File.join(folder, "segments")
    @store = File.join(folder, "store.sqlite3")
    settings = {"HOLDUP_COLLECTOR" => "process", "HOLDUP_STORE" => @store}
    @application = MeasuringProcess.new(@dir, log: File.join(folder, "log"), settings:)
    @collector = wait_until { collector }
  end

  def teardown
    @application.end_by(@application.alive? ? :KILL : nil)
    wait_until { !there?(@collector) }
    super
  end

  def test_it_neither_finds_the_collector_nor_waits_for_it
    @application.run("trap(:CHLD) { ($signals ||= []) << $$ }; fork { exit!(3) }; nil")
    assert_equal "[3]", @application.run("Process.waitall.map { |_, status| status.exitstatus }")
    assert_equal "[]", @application.run("Process.waitall")
    assert_equal "Errno::ECHILD", @application.run("Process.wait rescue $!.class")
    assert there?(@collector)
    Process.kill(:KILL, @collector)
    killed = @collector
    wait_until { (@collector = collector) && @collector != killed }
    assert_equal "1", @application.run("$signals.size")
    said = @application.lines.join
    assert_match(/the collector ended \(SIGKILL \(signal 9\)\); started again in 1 s/, said)
  end

  def test_the_collector_takes_what_is_left_and_ends_with_the_application
    @application.measure(7)
    @application.end_by(:KILL)
    wait_until { !there?(@collector) }
    store = Holdup::Store.open(@store)
    assert_equal 7, store.windows(0, Time.now.to_i + 86_400, kinds: [:job, :request]).sum(&:count)
  ensure
    store&.close
  end

  # @return [Integer, nil] pid
  def collector
    children(@application.pid).flat_map { |pid| children(pid) }.find { |pid| leads?(pid) }
  end

  def children(pid)
    Dir["/proc/#{pid}/task/*/children"].flat_map { |path| File.read(path).split.map(&:to_i) }
  rescue SystemCallError
    []
  end

  def leads?(pid)
    File.binread("/proc/#{pid}/cmdline").include?("collect\0--dir\0#{@dir}") &&
      Holdup::Segment::Directory.new(@dir).collected?
  end

  def there?(pid) = !Holdup::Segment::OwnerProcess.new.start_of(pid).nil?
end
