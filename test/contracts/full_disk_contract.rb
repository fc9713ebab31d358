# frozen_string_literal: true

require "holdup/loader"
require "support/collected_log"
require "support/segment_writer"
require "support/small_file_system"
require "support/temporary_folder"

# A collector whose store's disk is full says so, loses nothing and goes on. Include it and define
#
# - `small_disk`: options of the tmpfs
# - `with_tables_on(disk)`: yields the address of a store whose tables are there
# - `counted(url)`: requests in the store
module FullDiskContract
  def self.included(test)
    test.include(SmallFileSystem, TemporaryFolder)
  end

  def test_a_full_disk_is_said_and_passes
    on_tmpfs(small_disk) do |disk|
      with_tables_on(disk) do |url|
        writer = SegmentWriter.new(folder)
        log = CollectedLog.new
        collector = Holdup::Collector.new(store: Holdup::Store.open(url), directory: folder, log:, host: "h")
        recorded = 0
        filled(disk) do
          wait_until do
            20.times { |name| writer.record("Controller#{name}#action", wall: 5_000 * (recorded += 1)) }
            collector.send(:attempt)
            log.lines.any?
          end
        end
        assert_match(/is full or its disk is; free disk space/, log.lines.first)
        wait_until { collector.send(:attempt) && log.lines.last == "collecting again" }
        collector.send(:leave)
        assert_equal recorded, counted(url)
      end
    end
  end
end
