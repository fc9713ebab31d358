# frozen_string_literal: true

require "test_helper"
require "open3"

# bin/demo when it is called wrongly, or ended before its report.
class DemoCommandTest < Minitest::Test
  # As from a terminal, not from the bundle of the tests.
  OUTSIDE = OtherBundle::NONE
  COMMAND = File.expand_path("../../bin/demo", __dir__)

  def test_an_unknown_option_is_a_usage_error
    out, err, status = Open3.capture3(OUTSIDE, COMMAND, "--fast")
    assert_equal 2, status.exitstatus
    assert_empty out
    assert_match(/invalid option: --fast; bin\/demo --help lists what it takes/, err)
    refute_match(/\.rb:\d+/, err)
  end

  def test_an_interrupt_ends_everything_it_started
    Open3.popen3(OUTSIDE, COMMAND, "--seconds", "60", pgroup: true) do |_, out, err, waiter|
      announce = err.each_line.find { |line| line.start_with?("sending traffic") }
      refute_nil announce
      group = descendants(waiter.pid)
      Process.kill(:INT, waiter.pid)
      assert_equal 130, waiter.value.exitstatus
      assert_empty out.read
      wait_until { group.none? { |pid| File.exist?("/proc/#{pid}") } }
      assert_empty Dir["{#{Dir.tmpdir},/dev/shm}/holdup-demo-#{waiter.pid}-*"]
    end
  end

  private

  # The demo's own processes, from /proc: each one whose parent is among those found so far.
  def descendants(pid)
    children = Dir["/proc/[0-9]*/stat"].filter_map { |path| parent_and_pid(path) }.group_by(&:first)
    found = []
    queue = [pid]
    while (parent = queue.shift)
      own = children.fetch(parent, []).map(&:last)
      found.concat(own)
      queue.concat(own)
    end
    found
  end

  def parent_and_pid(path)
    stat = File.read(path)
    [stat.rpartition(")").last.split[1].to_i, stat.to_i]
  rescue SystemCallError
    nil
  end
end
