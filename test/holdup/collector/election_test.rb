# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require "holdup/loader"

class Holdup::Collector
  class ElectionTest < Minitest::Test
    def setup
      @dir = Dir.mktmpdir("holdup-election")
      @path = File.join(@dir, "collector.lock")
    end

    def teardown
      FileUtils.rm_rf(@dir)
    end

    def test_one_leads_until_it_lets_go
      first = Election.new(@path)
      second = Election.new(@path)
      assert first.won?
      refute second.won?
      assert first.won?
      first.release
      assert second.won?
      refute first.won?
    end

    def test_who_holds_a_removed_file_leads_nothing
      first = Election.new(@path)
      second = Election.new(@path)
      assert first.won?
      File.unlink(@path)
      assert second.won?
      refute first.won?
    end

    def test_a_folder_that_came_back_is_led_anew
      election = Election.new(@path)
      assert election.won?
      FileUtils.rm_rf(@dir)
      refute election.held?
      assert_raises(Errno::ENOENT) { election.won? }
      Dir.mkdir(@dir)
      assert election.won?
    end

    def test_what_does_not_work_for_the_leader_can_be_read_while_it_leads
      folder = Holdup::Segment::Directory.new(@dir)
      election = Election.new(@path)
      assert election.won?
      assert_empty folder.collector_troubles
      election.note(store: "the disk\n is full", capture: "ein Fehler: \u00fc")
      assert_equal({store: "the disk is full", capture: "ein Fehler: \u00fc"}, folder.collector_troubles)
      election.note(store: "\xFF".b, capture: "\u00fc")
      assert_equal({store: "?", capture: "\u00fc"}, folder.collector_troubles)
      election.note({})
      assert_empty folder.collector_troubles
      assert_equal "#{Process.pid}\n", File.read(@path)
      election.note(store: "gone")
      election.release
      assert_empty folder.collector_troubles
    end

    def test_who_does_not_lead_notes_nothing
      first, second = Array.new(2) { Election.new(@path) }
      assert_equal [true, false], [first.won?, second.won?]
      second.note(store: "the disk is full")
      assert_empty Holdup::Segment::Directory.new(@dir).collector_troubles
    end

    def test_the_kernel_gives_the_lock_of_a_killed_process_away
      reader, writer = IO.pipe
      pid = fork_holder(writer)
      assert_equal "won", reader.read(3)
      refute Election.new(@path).won?
      Process.kill(:KILL, pid)
      Process.wait(pid)
      assert Election.new(@path).won?
    end

    private

    def fork_holder(writer)
      fork do
        Election.new(@path).tap { |election| writer.write(election.won? ? "won" : "not") }
        writer.close
        sleep
      end
    end
  end
end
