# frozen_string_literal: true

require "native/native_helper"
require "tempfile"
require "tmpdir"

# Files of the kernel, read with the GVL.
class KernelFileTest < NativeTest
  KERNEL = Holdup::KernelFile

  def test_reads_what_file_read_reads
    %w[/proc/self/cgroup /proc/self/mounts /proc/version].each do |path|
      assert_equal File.binread(path)[0, 8192], KERNEL.read(path), path
    end
  end

  def test_reads_no_more_than_a_page_or_two
    Tempfile.create("large") do |file|
      file.write("a" * 100_000)
      file.flush
      assert_equal "a" * 8192, KERNEL.read(file.path)
    end
  end

  # A named pipe would keep its reader, with the GVL.
  def test_reads_regular_files_only
    Dir.mktmpdir do |dir|
      pipe = File.join(dir, "pipe")
      File.mkfifo(pipe)
      [pipe, dir, File.join(dir, "missing"), "/dev/zero"].each { |path| assert_nil KERNEL.read(path), path }
    end
    assert_raises(ArgumentError) { KERNEL.read("a\0b") }
  end

  # Another thread wants the GVL all the time, and gets it when the time slice ends, not with each file.
  def test_keeps_the_gvl
    stop = false
    busy = Thread.new { GvlWork.hold(MS) until stop }
    unit = measured { 200.times { KERNEL.read("/proc/self/status") } }
    assert_operator unit.acquisitions, :<=, 20
  ensure
    stop = true
    busy&.join
  end
end
