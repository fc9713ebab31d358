# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Lab::FoldersTest < Minitest::Test
  Folders = Holdup::Lab::Folders

  def test_both_folders_exist_during_the_block_and_not_after_it
    folders = Folders.open do |open|
      open.each_value do |folder|
        assert_path_exists folder
        File.write(File.join(folder, "x"), "y")
      end
      open
    end
    assert_equal %i[folder segments], folders.keys
    assert_equal 2, folders.values.uniq.size
    folders.each_value { |folder| refute_path_exists folder }
  end

  def test_an_error_removes_them_too
    folders = nil
    assert_raises(Interrupt) do
      Folders.open do |open|
        folders = open
        raise Interrupt
      end
    end
    folders.each_value { |folder| refute_path_exists folder }
  end

  def test_segments_are_in_memory_where_the_system_has_it
    Folders.open do |open|
      in_memory = File.writable?(Folders::SHARED_MEMORY)
      assert_equal in_memory, open[:segments].start_with?("#{Folders::SHARED_MEMORY}/")
    end
  end

  def test_other_users_can_not_read_them
    Folders.open do |open|
      open.each_value { |folder| assert_equal 0o700, File.stat(folder).mode & 0o777, folder }
    end
  end
end
