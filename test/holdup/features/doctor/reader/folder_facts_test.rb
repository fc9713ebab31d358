# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Doctor::Reader::FolderFactsTest < Minitest::Test
  include AsNobody

  def setup
    @dir = File.realpath(Dir.mktmpdir)
  end

  def teardown
    FileUtils.rm_rf(@dir)
  end

  def facts(dir = @dir, mounts: nil)
    return Holdup::Doctor::Reader::FolderFacts.new(dir) unless mounts
    proc = File.join(@dir, "proc")
    FileUtils.mkdir_p(proc)
    File.write(File.join(proc, "mounts"), mounts)
    Holdup::Doctor::Reader::FolderFacts.new(dir, proc:)
  end

  def test_state
    assert_equal :ok, facts.state
    assert_equal :missing, facts("#{@dir}/none").state
  end

  def test_a_folder_of_another_user
    File.chmod(0, @dir)
    assert_equal :unreadable, as_nobody { facts.state }
  end

  def test_the_mount_that_holds_the_folder_decides
    assert_equal true, facts(mounts: "x / ext4 rw 0 0\ntmpfs #{@dir} tmpfs rw 0 0\n").tmpfs
    assert_equal false, facts(mounts: "tmpfs / tmpfs rw 0 0\nx #{@dir} ext4 rw 0 0\n").tmpfs
    assert_equal false, facts(mounts: "x / ext4 rw 0 0\ntmpfs #{@dir}-other tmpfs rw 0 0\n").tmpfs
    assert_nil Holdup::Doctor::Reader::FolderFacts.new(@dir, proc: "/nonexistent").tmpfs
  end

  def test_links_to_memory_are_in_memory_wherever_the_folder_is
    File.symlink("/proc/1/fd/3", "#{@dir}/1-1.segment")
    assert_equal true, facts(mounts: "x / ext4 rw 0 0\n").tmpfs
    File.write("#{@dir}/2-1.segment", "")
    assert_equal false, facts(mounts: "x / ext4 rw 0 0\n").tmpfs
  end

  def test_whether_a_collector_holds_the_lock
    refute facts.to_h[:collector]
    File.open(File.join(@dir, "collector.lock"), File::CREAT | File::RDWR) do |lock|
      refute facts.to_h[:collector]
      lock.flock(File::LOCK_EX)
      assert facts.to_h[:collector]
    end
  end
end
