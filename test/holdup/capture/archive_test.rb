# frozen_string_literal: true

require "test_helper"
require "holdup/capture/archive"

class Holdup::Capture::ArchiveTest < Minitest::Test
  include SmallFileSystem

  Archive = Holdup::Capture::Archive

  def test_keeps_packs_and_reads
    in_folder do |archive|
      path = archive.add(bytes, Time.at(0))
      assert_equal "19700101T000000Z-7.holdup-capture", File.basename(path)
      assert_operator File.size(path), :<, bytes.bytesize / 4
      assert_equal 0o600, File.stat(path).mode & 0o777
      assert_equal 1, Archive.read(path).events.size
    end
  end

  def test_a_capture_is_of_its_process_and_time
    in_folder do |archive|
      archive.add(bytes, Time.at(0))
      kept = archive.kept.first
      from_ns = kept.header.begin_real_ns
      to_ns = from_ns + kept.length_ns.to_i
      assert kept.of?(kept.header.pid, from_ns - 5, to_ns + 5)
      refute kept.of?(kept.header.pid + 1, from_ns - 5, to_ns + 5)
      refute kept.of?(kept.header.pid, to_ns + 5, to_ns + 9)
    end
  end

  def test_reads_what_a_process_left_unpacked
    in_folder do |archive|
      path = File.join(archive.dir, "raw")
      File.binwrite(path, bytes)
      assert_equal 1, Archive.read(path).events.size
    end
  end

  def test_only_the_newest_are_kept
    in_folder do |archive|
      55.times { |second| archive.add(bytes, Time.at(second)) }
      assert_equal Archive::KEPT, archive.files.size
      assert_match(/000054Z/, archive.files.first)
      assert_match(/000005Z/, archive.files.last)
    end
  end

  def test_rejects_a_damaged_file
    in_folder do |archive|
      path = archive.add(bytes, Time.at(0))
      File.truncate(path, 40)
      error = assert_raises(Holdup::DamagedData) { Archive.read(path) }
      assert_match(/is not a capture of Holdup/, error.message)
    end
  end

  # A megabyte of it unpacks to a gigabyte.
  def test_unpacks_no_more_than_a_capture_can_be
    in_folder do |archive|
      path = File.join(archive.dir, "bomb")
      Zlib::GzipWriter.open(path) { |file| file.write(bytes) && 300.times { file.write("\0" * 1_000_000) } }
      assert_operator File.size(path), :<, 1_000_000
      assert_match(/its end is missing/, assert_raises(Holdup::DamagedData) { Archive.read(path) }.message)
    end
  end

  def test_leaves_no_file_when_the_disk_is_full
    on_tmpfs("size=100k") do |folder|
      archive = Archive.new(folder)
      assert_raises(Errno::ENOSPC) { archive.add(bytes + Random.bytes(200_000), Time.at(0)) }
      assert_empty Dir.children(folder)
    end
  end

  def test_lists_what_is_kept_by_its_first_page
    in_folder do |archive|
      archive.add(Holdup::Capture::Reason.add(bytes.dup, {"trigger" => "rule"}), Time.at(60))
      archive.add(bytes, Time.at(0))
      File.write(File.join(archive.dir, "19700101T000200Z-9.holdup-capture"), "nonsense")
      File.write(File.join(archive.dir, "other.holdup-capture"), "")
      assert_equal %w[19700101T000200Z-9 19700101T000100Z-7 19700101T000000Z-7], archive.kept.map(&:id)
      assert_equal [[{}, nil, nil], [{"trigger" => "rule"}, 1, 10], [{}, 1, 10]],
        archive.kept.map { |kept| [kept.facts, kept.events, kept.length_ns] }
      assert_equal [Time.at(60), 7], archive.find("19700101T000100Z-7").to_h.values_at(:time, :pid)
      assert_nil archive.find("../19700101T000100Z-7")
    end
  end

  def test_two_of_a_process_within_a_second
    in_folder { |archive| assert_equal 3, Array.new(3) { archive.add(bytes, Time.at(0)) }.uniq.size }
  end

  private

  def bytes
    @bytes ||= EventRing.new.running(1).suspended(1, 5).bytes(to: 10)
  end

  def in_folder
    Dir.mktmpdir { |folder| yield Archive.new(folder) }
  end
end
