# frozen_string_literal: true

require "native/native_helper"
require "holdup/segment/directory"
require "holdup/segment/reader"

# A full tmpfs (64 MB is Docker's default) means fewer series and a count of it, never SIGBUS and never a lost
# unit.
class FullTmpfsTest < NativeTest
  include SmallFileSystem

  def test_units_beyond_the_space_share_the_overflow_series
    on_tmpfs("size=900k") do |folder|
      output = fresh_ruby(<<~RUBY)
        Holdup::Probe.enable
        Holdup::Probe.open_segment("#{folder}/segment", 200, 64, nil, 0)
        300.times { |i| Holdup::Probe.record(Holdup::Probe.enter, 1, "unit \#{i % 100}", nil, nil, false) }
        Holdup::Probe.tick([])
        puts "alive"
      RUBY
      assert_equal "alive", output.chomp
      assert_shared Holdup::Segment::Reader.open("#{folder}/segment", gone: true, &:snapshot)
    end
  end

  def test_no_space_at_all_is_a_clear_error
    on_tmpfs("size=16k") do |folder|
      output = fresh_ruby(<<~RUBY)
        Holdup::Probe.enable
        begin
          Holdup::Probe.open_segment("#{folder}/segment", 200, 4096, nil, 0)
        rescue Errno::ENOSPC
          puts "no space", Dir.children("#{folder}").size
        end
      RUBY
      assert_equal %w[no\ space 0], output.lines(chomp: true)
    end
  end

  # The link takes no space.
  linux def test_memory_without_a_name_where_no_space_is_left
    on_tmpfs("size=16k") do |folder|
      filled(folder) do
        output = fresh_ruby(<<~RUBY)
          require "holdup/segment/directory"
          Holdup::Probe.enable
          path = "#{folder}/\#{Process.pid}-1.segment"
          Holdup::Probe.open_anonymous_segment(path, 200, 4096, nil, 0)
          Holdup::Probe.record(Holdup::Probe.enter, 1, "unit", nil, nil, false)
          entry = Holdup::Segment::Directory.new("#{folder}").entries.first
          puts entry.read(&:snapshot).slot("unit", kind: :request).count
        RUBY
        assert_equal "1", output.chomp
      end
    end
  end

  # The removed file still takes its space, because the process has it mapped.
  linux def test_a_removed_segment_that_has_no_space_for_another_file
    on_tmpfs("size=540k") do |folder|
      output = fresh_ruby(<<~RUBY)
        require "holdup/segment/directory"
        Holdup::Probe.enable
        path = "#{folder}/\#{Process.pid}-1.segment"
        Holdup::Probe.open_segment(path, 20, 512, nil, 0)
        Holdup::Probe.record(Holdup::Probe.enter, 1, "unit", nil, nil, false)
        File.unlink(path)
        puts Holdup::Probe.tick([])
        begin
          Holdup::Probe.name_segment_again(false)
        rescue Errno::ENOSPC
          puts "no space"
        end
        Holdup::Probe.record(Holdup::Probe.enter, 1, "unit", nil, nil, false)
        Holdup::Probe.name_segment_again(true)
        100.times { |i| Holdup::Probe.record(Holdup::Probe.enter, 1, "unit \#{i}", nil, nil, false) }
        puts Holdup::Probe.tick([])
        entry = Holdup::Segment::Directory.new("#{folder}").entries.first
        puts entry.read(&:snapshot).slot("unit", kind: :request).count
      RUBY
      assert_equal ["removed", "no space", "true", "2"], output.lines(chomp: true)
    end
  end

  def test_knows_for_how_many_more_segments_there_is_room
    on_tmpfs("size=4m") do |folder|
      output = fresh_ruby(<<~RUBY)
        Holdup::Probe.enable
        p Holdup::Probe.segment_room
        Holdup::Probe.open_segment("#{folder}/segment", 200, 4096, nil, 0)
        p Holdup::Probe.segment_room
      RUBY
      used = File.stat("#{folder}/segment").blocks * 512
      assert_equal ["nil", (((4 << 20) - used) / used).to_s], output.lines(chomp: true)
    end
  end

  def test_asking_for_a_round_takes_no_space
    on_tmpfs("size=16k") do |folder|
      filled(folder) do
        directory = Holdup::Segment::Directory.new(folder)
        directory.hurry
        refute_nil directory.hurried_at
      end
    end
  end

  private

  def assert_shared(snapshot)
    slots = snapshot.slots.select { |slot| %i[request overflow].include?(slot.series.kind) }
    overflow = slots.find { |slot| slot.series.kind == :overflow }
    assert_equal 300, slots.sum(&:count)
    assert_operator overflow.count, :>, 0
    assert_equal overflow.count, snapshot.counters[:overflowed]
    assert_operator snapshot.counters[:grow_failures], :>, 0
  end
end
