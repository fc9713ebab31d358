# frozen_string_literal: true

require "test_helper"
require "holdup/agent/configuration"

class Holdup::Configuration::SegmentLocationTest < Minitest::Test
  def setup = @root = File.realpath(Dir.mktmpdir)

  def teardown = FileUtils.remove_entry(@root)

  def folder(name)
    File.join(@root, name).tap { |path| FileUtils.mkdir_p(path) }
  end

  def mounts(*points)
    File.join(@root, "mounts").tap do |file|
      File.write(file, "disk / ext4 rw 0 0\n#{points.map { |point| "tmpfs #{point} tmpfs rw 0 0\n" }.join}")
    end
  end

  def find(given = nil, mounts:, roots: [folder("shm"), folder("tmp")])
    Holdup::Configuration::SegmentLocation.find(given, uid: 5, roots:, mounts:).to_h.values
  end

  def test_the_first_tmpfs_that_can_be_written
    assert_equal ["#{@root}/shm/holdup-5", false], find(mounts: mounts("#{@root}/shm", "#{@root}/tmp"))
    assert_equal ["#{@root}/tmp/holdup-5", false], find(mounts: mounts("#{@root}/tmp"))
    assert_equal ["#{@root}/tmp/holdup-5", false],
      find(mounts: mounts("#{@root}/shm", "#{@root}/tmp"), roots: ["/nowhere", "#{@root}/tmp"])
  end

  def test_mounted_folders_in_any_script
    shm = folder("共有")
    assert_equal ["#{shm}/holdup-5", false], find(mounts: mounts("#{@root}/\xFF", shm), roots: [shm])
  end

  def test_memory_without_a_name_where_there_is_none
    assert_equal ["#{@root}/shm/holdup-5", true], find(mounts: mounts)
    assert_equal ["#{@root}/shm/holdup-5", true], find(mounts: mounts("#{@root}/shm2"))
  end

  def test_uses_a_folder_on_disk_where_mounts_are_unknown
    assert_equal ["#{@root}/shm/holdup-5", false], find(mounts: "/nowhere")
    assert_equal ["/tmp/holdup-5", false], find(mounts: "/nowhere", roots: ["/nowhere"])
  end

  def test_a_folder_that_a_person_chose_is_taken_as_it_is
    assert_equal ["/elsewhere", false], find("/elsewhere", mounts: mounts)
  end
end
