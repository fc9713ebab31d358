# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::ExitNoteTest < Minitest::Test
  include TemporaryFolder

  Note = Holdup::ExitNote

  def files = @files ||= Note::ExitFiles.new(folder)

  def status(script)
    Process.wait2(Process.spawn("/bin/sh", "-c", script)).last
  end

  def test_says_by_which_signal_or_with_which_status_a_process_ended
    assert_equal [:signal, 9, 50], Note.of(status("kill -9 $$"), 50).to_h.values_at(:reason, :status, :at_ns)
    assert_equal [:exit, 3], Note.of(status("exit 3"), 50).to_h.values_at(:reason, :status)
    assert_nil Note.of(status("exit 0"), 50)
  end

  def test_comes_back_from_its_line
    notes = [Note.new(7, 1 << 60, :signal, 9), Note.new(7, 5, :timeout, nil), Note.new(7, 5, :killer, nil)]
    notes.each do |note|
      assert_equal note, Note.parse(7, note.to_line)
    end
    ["", "5 boredom\n", "x signal 9\n", "5 signal 9"].each { |line| assert_nil Note.parse(7, line) }
  end

  def test_the_first_note_since_the_process_began_counts
    assert_nil files.find(7, since_ns: 0)
    earlier = Note.new(7, 90, :exit, 1)
    timeout = Note.new(7, 200, :timeout, nil)
    others = [Note.new(7, 210, :signal, 9), Note.new(8, 220, :signal, 6)]
    [earlier, timeout, *others].each { |note| files.add(note) }
    assert_equal timeout, files.find(7, since_ns: 100)
    assert_equal earlier, files.find(7, since_ns: 90)
    assert_nil files.find(7, since_ns: 300)
  end

  def test_removes_what_was_read_and_what_is_old
    now_s = Time.now.to_i
    [7, 8, 9].each { |pid| files.add(Note.new(pid, 5, :exit, 1)) }
    old = File.join(folder, "9.exit")
    File.utime(now_s - 700, now_s - 700, old)
    File.write(File.join(folder, "7.segment"), "")
    files.remove([7], now_s)
    assert_equal %w[7.segment 8.exit], Dir.children(folder).sort
  end
end
