# frozen_string_literal: true

require "holdup/loader"
require "sqlite3"
require "tmpdir"
require "zlib"

# What `bin/demo` recorded, as a store, brought to the newest layout. See test/fixtures/README.md.
class Recorded
  FILE = File.expand_path("../fixtures/storefront.sqlite3.gz", __dir__)
  # The same shop for twenty seconds, with who waited for whom, and the demo's trial of more threads.
  DEMO = File.expand_path("../fixtures/demo.sqlite3.gz", __dir__)

  # @return [String] a SQLite file
  attr_reader :store

  # @param packed [String] a store, packed with gzip
  def initialize(packed = FILE)
    @folder = Dir.mktmpdir("holdup")
    @store = File.join(@folder, "store.sqlite3")
    Zlib::GzipReader.open(packed) { |file| IO.copy_stream(file, @store) }
    Holdup::Store.open(@store).tap(&:migrate!).close
  end

  # @return [String] folder of the segment of a process that was recorded, with a request in it
  def segments
    @segments ||= File.join(@folder, "segments").tap do |folder|
      writer = SegmentWriter.new(folder, now_ns: now_s * 1_000_000_000)
      writer.profile = {"server" => "puma"}
      writer.record("OrdersController#index", wall: 100_000_000, running: 20_000_000)
    end
  end

  # @return [Integer] the end of its last minute
  def now_s
    @now_s ||= SQLite3::Database.new(@store).get_first_value("SELECT MAX(start_s) FROM windows") + 60
  end

  def remove = FileUtils.rm_rf(@folder)
end
