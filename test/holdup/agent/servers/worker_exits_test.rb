# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "holdup/agent/servers/worker_exits"

class Holdup::Servers::WorkerExitsTest < Minitest::Test
  include TemporaryFolder

  def exits = @exits ||= Holdup::Servers::WorkerExits.new(-> { folder })

  def note(pid) = Holdup::ExitNote::ExitFiles.new(folder).find(pid, since_ns: 0)

  def test_notes_how_a_worker_ended
    status = Process.wait2(Process.spawn("/bin/sh", "-c", "kill -9 $$")).last
    exits.reaped(status)
    assert_equal [:signal, 9], note(status.pid).to_h.values_at(:reason, :status)
  end

  def test_a_worker_that_ended_well_leaves_no_note
    exits.reaped(Process.wait2(Process.spawn("true")).last)
    exits.reaped(nil)
    assert_empty Dir.children(folder)
  end

  def test_notes_a_timeout_before_the_kill
    exits.timed_out(77)
    exits.timed_out(nil)
    assert_equal [:timeout, nil], note(77).to_h.values_at(:reason, :status)
  end

  def test_notes_once_that_a_worker_killer_ends_a_process
    3.times { exits.killed(77) }
    exits.killed(nil)
    assert_equal [:killer, nil], note(77).to_h.values_at(:reason, :status)
    assert_equal ["77.exit"], Dir.children(folder)
    assert_equal 1, File.readlines(File.join(folder, "77.exit")).size
  end

  def test_a_forked_copy_of_the_master_says_nothing
    exits
    pid = fork do
      exits.reaped(Process.wait2(Process.spawn("false")).last)
      exit!(0)
    end
    assert_predicate Process.wait2(pid).last, :success?
    assert_empty Dir.children(folder)
  end

  def test_a_folder_that_is_not_there_stops_nothing
    gone = Holdup::Servers::WorkerExits.new(-> { File.join(folder, "gone") })
    assert_nil gone.timed_out(7)
  end
end
