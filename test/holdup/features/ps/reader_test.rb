# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Ps::ReaderTest < Minitest::Test
  include TemporaryFolder

  NS = 1_000_000_000
  NOW_S = 1_790_000_000
  NOW_NS = NOW_S * NS

  def look(dir = folder, **options)
    @reader = Holdup::Ps::Reader.new(dir, clock: CommandLine::Still.new(now_s: NOW_S), **options)
    @reader.look
  end

  # @return [SegmentWriter] of a Puma with two requests, of which one waits for the other
  def puma(**options)
    SegmentWriter.new(folder, now_ns: NOW_NS, worker: 0, **options).tap do |writer|
      writer.profile = {"server" => "puma", "pool.0" => "puma", "pool.1" => "db primary"}
      writer.pools = [[5, 2, 0], [6, 1, 0]]
      writer.gauge(:allocated_objects, 5_000)
      writer.open_unit(0, "OrdersController#index", started_ns: NOW_NS - 3 * NS, thread: 4720, objects: 1_000)
      writer.see_open_unit(0, :gvl, since_ns: NOW_NS - NS, seen_ns: NOW_NS)
      writer.open_unit(1, "ReportsController#sales", started_ns: NOW_NS - 42 * NS, thread: 4718)
      writer.place_open_unit(1, "sales_report.rb:30 SalesReport#rows")
      writer.see_open_unit(1, :running, since_ns: NOW_NS - 41 * NS, seen_ns: NOW_NS, holder: true)
      writer.see_holder(4718, "ReportsController#sales", since_ns: NOW_NS - 41 * NS, seen_ns: NOW_NS)
    end
  end

  def test_reads_what_is_open_and_who_holds_the_gvl
    puma
    sales, orders = look.rows
    assert_equal :holding, sales.state
    assert_equal "ReportsController#sales", orders.awaited.name
    assert_equal "sales_report.rb:30 SalesReport#rows", orders.awaited.place
    assert_equal 4_000, orders.objects
  end

  def test_knows_the_process_and_its_pools
    puma
    process = look.processes.first
    assert_equal [Process.pid, "worker 0", "puma"], [process.pid, process.name, process.server]
    assert_equal({"puma" => 5, "db primary" => 6}, process.pools)
    refute process.stopped
  end

  def test_leaves_out_what_has_ended
    puma.drop_open_unit(0)
    assert_equal ["ReportsController#sales"], look.rows.map { |row| row.unit.name }
  end

  def test_reads_no_process_that_has_ended
    puma.close
    SegmentWriter.new(folder, pid: 2**22 + 1, start: 5, now_ns: NOW_NS - 600 * NS)
    assert_empty look.processes
  end

  def test_sees_that_a_process_is_stopped
    puma
    FileUtils.mkdir_p(File.join(folder, "proc", Process.pid.to_s))
    File.write(File.join(folder, "proc", Process.pid.to_s, "stat"), "#{Process.pid} (ruby (x)) T 1 2")
    assert look(proc: File.join(folder, "proc")).processes.first.stopped
  end

  def test_a_folder_that_is_missing_has_no_processes
    assert_empty look(File.join(folder, "none")).processes
    assert_nil @reader.trouble
  end

  def test_says_what_can_not_be_read
    puma
    File.write(File.join(folder, "7-8.segment"), "nonsense")
    assert_equal 1, look.processes.size
    assert_match(/7-8\.segment/, @reader.trouble)
  end

  def test_a_folder_that_can_not_be_read_is_a_trouble
    file = File.join(folder, "file")
    File.write(file, "")
    assert_empty look(file).processes
    assert_match(/Not a directory/, @reader.trouble)
  end
end
