# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "sqlite3"

# A store whose disk is full, and a real collector process: it says so, keeps the segments, and carries
# everything once the trouble is over. The application notices nothing: it only writes its segment.
class StoreTroubleTest < Minitest::Test
  include Collecting
  include SmallFileSystem

  def teardown
    end_all
  end

  def test_a_full_disk
    with_store("size=400k") do |folder|
      collect
      filled(folder) { record_until(/full/) }
      assert_carried
    end
  end

  private

  # A store that has one unit already.
  def with_store(options)
    on_tmpfs(options) do |folder|
      Dir.mktmpdir do |segments|
        @segments = segments
        @log = File.join(segments, "log")
        @store = "sqlite://#{folder}/store.sqlite3"
        @writer = SegmentWriter.new(segments)
        @writer.record("A#b", wall: 5_000)
        @recorded = 1
        collect
        wait_until { counted == 1 }
        end_all
        yield folder
        end_all
      end
    end
  end

  def collect
    spawn_collector(@segments, @store, interval: 0.1, err: @log)
  end

  def assert_carried
    wait_until { File.read(@log).include?("collecting again") }
    wait_until { counted.to_i >= @recorded }
    assert_equal @recorded, counted
  end

  # Enough different names to need new pages.
  def record_until(said)
    wait_until do
      5.times { |name| @writer.record("Controller#{name}#action", wall: 5_000 + (@recorded += 1)) }
      File.read(@log).match?(said)
    end
  end

  def counted
    store = Holdup::Store.open(@store, read_only: true)
    store.windows(0, Time.now.to_i + 120, kinds: [:request]).sum(&:count)
  rescue Holdup::StoreError
    nil
  ensure
    store&.close
  end
end
