# frozen_string_literal: true

require "test_helper"
require "holdup/capture/client"
require "holdup/segment/directory"

class Holdup::Capture::ClientTest < Minitest::Test
  include AsNobody

  Client = Holdup::Capture::Client
  Request = Holdup::Capture::Request

  def test_writes_the_request_into_the_segment
    in_folder do |asking, entry|
      refute asking.begun?
      asking.ask
      number = File.binread(entry.path).unpack1("Q<", offset: Holdup::Segment::Layout::CAPTURE_REQUEST)
      assert_equal Request.new(asked_ms: 1_790_000_000_000, seconds: 7), Request.decode(number)
    end
  end

  def test_writes_the_rule_into_the_segment
    in_folder do |_, entry|
      rule = Holdup::Capture::Trigger.parse("stall > 50 ms")
      Client.new(entry, Request.new(asked_ms: 1, seconds: 60), rule).ask
      segment = File.binread(entry.path)
      number = segment.unpack1("Q<", offset: Holdup::Segment::Layout::CAPTURE_RULE)
      assert_equal rule, Holdup::Capture::Trigger.decode(number)
    end
  end

  # Its folder may not be what it was when the process was chosen.
  def test_writes_nothing_through_a_link
    in_folder do |asking, entry|
      other = File.join(@folder, "other")
      File.binwrite(other, "\0" * 4096)
      File.unlink(entry.path)
      File.symlink(other, entry.path)
      assert_raises(Errno::ELOOP) { asking.ask }
      assert_equal "\0" * 4096, File.binread(other)
    end
  end

  def test_asks_no_process_in_a_folder_of_another_user
    skip "needs root" unless Process.uid.zero?
    Dir.mktmpdir do |folder|
      File.chmod(0o777, folder)
      refused = as_nobody do
        Client.processes(folder)
        nil
      rescue Holdup::Error => error
        error.message
      end
      assert_match(/is not a folder of this user/, refused)
    end
  end

  def test_takes_the_file_up_to_its_last_event
    in_folder do |asking|
      asking.ask
      left(bytes + "\0" * 64)
      assert asking.begun?
      assert asking.ended?
      assert_equal bytes, asking.take
      refute asking.begun?
    end
  end

  def test_replaces_captures_that_were_not_fetched_but_not_a_running_one
    in_folder do |asking|
      left(bytes)
      asking.ask
      refute asking.begun?
      left(bytes(closed: false))
      assert_match(/is being captured already; wait/, assert_raises(Holdup::Error) { asking.ask }.message)
      assert asking.begun?
    end
  end

  def test_sweeps_behind_the_dead
    in_folder do |asking, entry|
      left(bytes)
      dead = File.join(@folder, "1-1.events")
      File.write(dead, "")
      Client.sweep(@folder, [entry])
      assert_equal [true, false], [asking.begun?, File.exist?(dead)]
    end
  end

  private

  def bytes(closed: true)
    EventRing.new.running(1).suspended(1, 5).bytes(to: 10, closed:)
  end

  def left(bytes)
    File.binwrite(File.join(@folder, "12-34.events"), bytes)
  end

  def in_folder
    Dir.mktmpdir do |folder|
      @folder = folder
      path = File.join(folder, "12-34.segment")
      File.binwrite(path, "\0" * 4096)
      entry = Holdup::Segment::Directory::DirectoryEntry.new(path:, pid: 12, start: 34, alive: true)
      yield Client.new(entry, Request.new(asked_ms: 1_790_000_000_000, seconds: 7)), entry
    end
  end
end
