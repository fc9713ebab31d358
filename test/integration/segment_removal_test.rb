# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/measuring_process"
require "support/small_file_system"

# Others remove what processes and the collector have in a folder of memory: systemd's RemoveIPC, a cleaner of
# temporary files, a script. Each request counts once: before, meanwhile and after.
class SegmentRemovalTest < Minitest::Test
  include SmallFileSystem
  include TemporaryFolder

  def setup
    @base = Dir.mktmpdir("holdup-removal", File.directory?("/dev/shm") ? "/dev/shm" : nil)
    @dir = File.join(@base, "above", "segments")
    @store = File.join(@base, "store.sqlite3")
    @processes = []
    @log = CollectedLog.new
  end

  def teardown
    @processes.each { |process| process.end_by(process.alive? ? :KILL : nil) }
    @leader&.send(:leave)
    FileUtils.chmod_R(0o700, @base)
    FileUtils.rm_rf(@base)
  end

  def started(**options)
    log = File.join(@base, "log#{@processes.size}")
    MeasuringProcess.new(@dir, log:, **options).tap { |process| @processes << process }
  end

  # A collector that comes for one round.
  def collect
    Holdup::Collector.new(store: Holdup::Store.open(@store), directory: @dir, log: @log).once
  end

  # One that goes on leading between its rounds.
  def lead
    @leader ||= Holdup::Collector.new(store: Holdup::Store.open(@store), directory: @dir, log: @log)
    @leader.send(:attempt)
  end

  def stored
    store = Holdup::Store.open(@store)
    store.windows(0, Time.now.to_i + 3600, kinds: [:job, :request]).sum(&:count)
  ensure
    store&.close
  end

  def segments = Dir.glob("*.segment", base: @dir)

  def wait_for_segments(count = 1) = wait_until { segments.size == count }

  def findings
    report = Holdup::Doctor::Reader.new(dir: @dir, clock: Holdup::Clock.new,
      open_store: -> { Holdup::Store.open(@store, read_only: true) },
      segments: Holdup::Doctor::SegmentReader)
    Holdup::Doctor::Checks.call(report.call).reject(&:ok?).to_h { |finding| [finding.key, finding.level] }
  end

  REMOVALS = {
    "the folder" => ->(dir) { FileUtils.rm_rf(dir) },
    "the segment alone" => ->(dir) { Dir["#{dir}/*.segment"].each { |path| File.unlink(path) } },
    "all but the collector's files" => ->(dir) { Dir["#{dir}/[0-9]*"].each { |path| File.unlink(path) } },
    "the folder, which is new and empty" => lambda { |dir|
      FileUtils.rm_rf(dir)
      Dir.mkdir(dir, 0o700)
    },
    "the folder, which is moved away" => ->(dir) { File.rename(dir, "#{dir}-moved") },
    "the folder above it" => ->(dir) { FileUtils.rm_rf(File.dirname(dir)) },
    "the segment, for an empty file" => lambda { |dir|
      path = Dir["#{dir}/*.segment"].first
      File.unlink(path)
      File.write(path, "")
    }
  }.freeze

  REMOVALS.each do |what, removal|
    test = what.gsub(/\W+/, "_")
    # The first ten are stored when it happens, the next five only measured.
    define_method(:"test_counts_each_once_when_others_remove_#{test}") do
      process = started
      process.measure(10)
      collect
      process.measure(5)
      removal.call(@dir)
      process.measure(2)
      wait_until { segments.size == 1 && File.size(File.join(@dir, segments.first)).positive? }
      process.measure(3)
      collect
      assert_equal 20, stored
      process.measure(4)
      process.end_by
      collect
      assert_equal 24, stored
      assert_empty segments
      assert_equal 1, process.lines.grep(/the segment of this process was/).size, process.lines.join
    end

    define_method(:"test_a_collector_that_leads_goes_on_when_others_remove_#{test}") do
      process = started
      process.measure(10)
      lead
      process.measure(5)
      removal.call(@dir)
      lead
      process.measure(2)
      wait_until { segments.size == 1 && File.size(File.join(@dir, segments.first)).positive? }
      2.times { lead }
      assert_equal 17, stored, @log.lines.join("\n")
      process.end_by(:KILL)
      lead
      assert_equal 17, stored
      assert_empty segments
    end
  end

  # Before a collector has seen anything, all of it is in the segment alone.
  def test_nothing_is_lost_before_the_first_round
    process = started
    process.measure(10)
    FileUtils.rm_rf(@dir)
    wait_for_segments
    collect
    assert_equal 10, stored
  end

  def test_what_a_process_measures_before_it_ends_is_saved_although_it_ticks_no_more
    process = started(settings: {"HOLDUP_TICK_SECONDS" => "5"})
    process.measure(10)
    collect
    FileUtils.rm_rf(@dir)
    process.measure(7)
    process.end_by
    collect
    assert_equal 17, stored
  end

  def test_again_and_again
    process = started
    total = 0
    6.times do |round|
      process.measure(round + 1)
      total += round + 1
      collect if round.even?
      FileUtils.rm_rf(@dir)
      wait_for_segments
    end
    collect
    assert_equal total, stored
  end

  def test_a_folder_that_comes_back
    process = started
    process.measure(10)
    collect
    2.times do
      File.rename(@dir, "#{@dir}-moved")
      wait_for_segments
      process.measure(3)
      collect
      FileUtils.rm_rf(@dir)
      File.rename("#{@dir}-moved", @dir)
      process.measure(2)
      wait_until { process.run("Holdup.send(:const_get, :Probe).tick([])") == "true" }
      collect
    end
    assert_equal 20, stored
  end

  # A spool keeps what a folder had before it went.
  def test_a_copy_in_the_spool_counts_nothing_twice
    process = started
    process.measure(10)
    collect
    process.measure(5)
    spool = Holdup::Collector::Spool.new(File.join(@base, "spool"), max_bytes: 10_000_000, log: @log)
    directory = Holdup::Segment::Directory.new(@dir)
    spool.keep(directory, identity: directory.identity, host: "h", now_ns: Holdup::Clock.new.realtime_ns)
    FileUtils.rm_rf(@dir)
    wait_for_segments
    process.measure(2)
    collect
    store = Holdup::Store.open(@store)
    nil while spool.deliver(store)
    assert_equal 17, stored
    assert_empty Dir["#{@base}/spool/*.spool"], @log.lines.join
  ensure
    store&.close
  end

  # One that stands still when it happens notices it only later.
  def test_a_process_that_stands_still_when_it_happens
    process = started
    process.measure(10)
    lead
    process.measure(3)
    process.signal(:STOP)
    File.unlink(*Dir["#{@dir}/*.segment"])
    3.times { lead }
    assert_includes findings, :segment_nameless
    process.signal(:CONT)
    wait_for_segments
    lead
    assert_equal 13, stored
  end

  # The collector that led reads before the removal, and commits after another one leads.
  def test_of_two_collectors_only_one_counts_what_both_have_read
    process = started
    process.measure(10)
    lead
    process.measure(5)
    clock = Holdup::Clock.new
    warnings = Holdup::Collector::RateLimitedLog.new(log: @log, clock:)
    store = Holdup::Store.open(@store).extend(overtaken { second_collector_comes })
    directory = Holdup::Segment::Directory.new(@dir)
    first = Holdup::Collector::Round.new(store:, directory:, host: "h", warnings:)
    assert_raises(Holdup::StoreError::Locked) { first.run(clock.realtime_ns) }
    assert_equal 15, stored
  ensure
    store&.close
  end

  # A child whose folder is gone before it has begun, and one whose folder goes later.
  def test_forked_children_count_too
    process = started
    process.measure(10)
    collect
    FileUtils.rm_rf(@dir)
    process.run("@in, @out = IO.pipe; @child = fork { @out.close; measure(4); @in.read; measure(3) }")
    wait_for_segments(2)
    process.measure(6)
    FileUtils.rm_rf(@dir)
    wait_for_segments(2)
    process.run("@out.close; Process.wait(@child)")
    collect
    assert_equal 23, stored
  end

  def test_while_other_threads_and_ractors_record
    process = started
    process.run("$stop = false; $counts = Queue.new; @threads = Array.new(4) { Thread.new { n = 0; " \
      "until $stop; measure(1); n += 1; sleep(0.0002); end; n } }")
    process.run("@ractors = Array.new(2) { Ractor.new { r = 0; 300_000.times { r += 1 }; r } }.size")
    5.times do
      FileUtils.rm_rf(@dir)
      wait_for_segments
      collect
    end
    total = process.run("$stop = true; @threads.sum(&:value)").to_i
    collect
    assert_operator total, :>, 100
    assert_equal total, stored
  end

  def test_a_capture_in_progress_is_kept
    process = started(settings: {"HOLDUP_CAPTURE" => "wall > 200 ms, warm_up=0"})
    armed = -> { Dir["#{@dir}/*.armed"].any? }
    wait_until(&armed)
    process.measure(3)
    FileUtils.rm_rf(@dir)
    wait_for_segments
    process.run("Holdup.measure('Slow') { sleep 0.3 }")
    wait_until { Dir["#{@dir}/*.ended"].any? }
    captures = File.join(@base, "captures")
    store = Holdup::Store.open(@store)
    Holdup::Collector.new(store:, directory: @dir, log: @log, captures:).once
    assert_equal 1, Holdup::Capture::Archive.new(captures).kept.size
    assert_equal 4, stored
  end

  def test_an_asked_capture_is_kept
    process = started
    process.measure(3)
    asking = Thread.new do
      Open3.capture2e({"HOLDUP_STORE" => @store}, RbConfig.ruby, CommandLine::EXE, "capture", "--dir", @dir,
        "--seconds", "2", "--out", File.join(@base, "captures"))
    end
    wait_until { Dir["#{@dir}/*.events"].any? }
    FileUtils.rm_rf(@dir)
    said, status = asking.value
    assert_predicate status, :success?, said
    assert_equal 1, Holdup::Capture::Archive.new(File.join(@base, "captures")).kept.size
  end

  def test_without_a_way_back_it_says_why_and_measures_on_and_doctor_fails
    process = started
    process.measure(10)
    collect
    FileUtils.rm_rf(@dir)
    File.write(@dir, "in the way")
    wait_until { process.lines.grep(/can't be made again/).any? }
    process.measure(5)
    assert_equal :fail, findings[:segment_nameless]
    File.unlink(@dir)
    wait_for_segments
    collect
    assert_equal 15, stored
    assert_equal 1, process.lines.grep(/can't be made again/).size
    wait_until { findings[:segment_lost] == :warn }
    refute_includes findings, :segment_nameless
  end

  def test_the_new_folder_has_the_modes_of_the_old_one
    process = started
    FileUtils.rm_rf(@dir)
    wait_for_segments
    assert_equal [0o700, 0o600],
      [File.stat(@dir).mode & 0o777, File.stat(File.join(@dir, segments.first)).mode & 0o777]
    assert_predicate process, :alive?
  end

  # A program that daemonizes closes what it does not know.
  def test_descriptors_that_the_application_closes
    process = started
    process.measure(10)
    lead
    process.run("Dir.children('/proc/self/fd').map(&:to_i).each { |number| (IO.for_fd(number).close if " \
      "File.readlink(\"/proc/self/fd/\#{number}\").end_with?('.segment')) rescue nil }")
    wait_until { process.lines.grep(/closed Holdup's descriptor/).any? }
    process.measure(5)
    lead
    assert_equal 15, stored
    path = File.join(@dir, segments.first)
    assert_equal :held, File.open(path) { |io| Holdup::Segment::Directory::FileLock.state(io) }
  end

  # Where no tmpfs is writable the folder has a link only.
  def test_a_link_to_memory_without_a_name
    process = started(options: ["-r#{stub_places}"])
    wait_until { segments.any? && File.symlink?(File.join(@dir, segments.first)) }
    process.measure(10)
    lead
    process.measure(5)
    FileUtils.rm_rf(@dir)
    wait_for_segments
    process.measure(2)
    2.times { lead }
    assert_equal 17, stored
  end

  def test_the_collector_makes_its_lock_again_and_says_so
    process = started
    lead
    FileUtils.rm_rf(@dir)
    lead
    assert_match(/collector.lock was removed or replaced while this collector led/, @log.lines.join)
    assert_path_exists File.join(@dir, "collector.lock")
    assert_predicate process, :alive?
  end

  def test_the_store_is_made_again_and_the_collector_says_so
    process = started
    process.measure(10)
    lead
    Dir["#{@store}*"].each { |path| File.unlink(path) }
    process.measure(5)
    2.times { lead }
    assert_equal 15, stored
    assert_match(/was removed or replaced by another one/, @log.lines.join)
    refute_match(/locked by another process/, @log.lines.join)
  end

  # By `> store.sqlite3`, or a rotation that copies and truncates. The log of SQLite beside it has only the
  # latest pages.
  def test_a_store_that_is_emptied_is_made_again_and_the_collector_says_so
    process = started
    process.measure(10)
    lead
    SQLite3::Database.new(@store) { |other| other.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
    process.measure(1)
    lead
    File.truncate(@store, 0)
    process.measure(5)
    2.times { lead }
    assert_equal 16, stored
    assert_match(/was removed or replaced by another one/, @log.lines.join)
    process.measure(3)
    lead
    assert_equal 19, stored
  end

  # The store can be read, so the doctor sees a full disk by what the collector says alone.
  def test_doctor_fails_while_the_collector_can_not_store
    on_tmpfs("size=3m") do |folder|
      @store = File.join(folder, "store.sqlite3")
      process = started
      process.measure(10)
      lead
      filled(folder) do
        process.run("150.times { |i| Holdup.measure(\"Work\#{i}\") { :done } }")
        lead
        assert_equal :fail, findings[:collector_failing], @log.lines.join
      end
      lead
      refute_includes findings, :collector_failing
      assert_equal 160, stored
    end
  end

  private

  # What happens between a round's reading and its commit.
  def overtaken(&meanwhile)
    Module.new do
      define_method(:commit) do |*arguments, **options, &block|
        meanwhile.call
        super(*arguments, **options, &block)
      end
    end
  end

  def second_collector_comes
    FileUtils.rm_rf(@dir)
    wait_for_segments
    collect
  end

  # A file that has the segment in memory, as on a host without a tmpfs.
  def stub_places
    path = File.join(@base, "places.rb")
    File.write(path, <<~RUBY)
      require "holdup"
      require "holdup/agent/configuration"
      Holdup::Configuration.define_method(:segment_place) do
        Holdup::Configuration::SegmentLocation.new(dir:, anonymous: true)
      end
    RUBY
    path
  end
end
