# frozen_string_literal: true

require "json"

# Workers that record and go. The test defines
#
# - `TEXT`: facts of their setting; `@segments`: their folder
# - `record(writer, index)`: one request or job
module RecordedWorkers
  # Above what Linux gives out.
  DEAD_PID = 4_194_800

  # A worker that records and ends, or was killed: the collector takes what a dead one has at once.
  def work(units, killed: false)
    @workers = @workers.to_i + 1
    writer = killed ? dead_writer : SegmentWriter.new(@segments, suffix: "-#{@workers}")
    writer.setting = JSON.generate(self.class::TEXT)
    units.times { |index| record(writer, index) }
    return writer.close unless killed
    writer.abandon
    File.rename(writer.path, File.join(@segments, File.basename(writer.path)))
  end

  private

  def dead_writer
    now_ns = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond) - 60_000_000_000
    SegmentWriter.new("#{folder}/killed", pid: DEAD_PID, start: @workers, suffix: "-#{@workers}", now_ns:)
  end
end
