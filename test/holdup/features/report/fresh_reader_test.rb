# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"

# A report right after traffic: what it lacks, and how to have it.
class Holdup::Report::FreshReaderTest < Minitest::Test
  include Collecting
  include CommandLine
  include TemporaryFolder

  def teardown
    end_all
    super
  end

  def test_every_format_says_how_much_is_not_collected
    measure(2)
    collect
    measure(19)
    assert_match(
      /^! 19 requests and jobs that have ended are not in these figures: no collector is running\./,
      report.out
    )
    assert_match(/^- 19 requests and jobs that have ended/, report("--markdown").out)
    assert_includes report("--html").out, "19 requests and jobs that have ended"
    assert_match(/終了したリクエストとジョブ 19 件が集計に入っていません/, report("--lang", "ja").out)
    document = JSON.parse(report("--json").out)
    assert_equal [19, false], document["uncollected"].values_at("units", "collector")
    assert_equal 2, document.dig("totals", "count")
  end

  def test_an_empty_report_says_it_too
    measure(2)
    store.commit([], {"made" => "x"})
    ["text", "markdown"].each { |format|
      assert_match(/2 requests and jobs that have ended/, report("--format", format, store: nil).out)
    }
  end

  def test_says_nothing_about_a_past_span
    measure(2)
    collect
    measure(3)
    refute_match(/that have ended/, report("--until", "1s").out)
    assert_nil JSON.parse(report("--until", "1s", "--json").out)["uncollected"]
    assert_equal 2, report("--until", "1s", "--fresh").status
  end

  def test_without_a_collector_it_stores_by_itself
    measure(4)
    document = JSON.parse(report("--json", "--fresh", store: nil).out)
    assert_equal [4, 0], [document.dig("totals", "count"), document.dig("uncollected", "units")]
    measure(3)
    assert_equal 7, JSON.parse(report("--json", "--fresh", store: nil).out).dig("totals", "count")
  end

  # It is not empty, and has nothing to do with the collector.
  def test_a_store_that_can_not_be_reached_is_said
    measure(2)
    url = "postgres://h@127.0.0.1:1/holdup"
    said = Holdup::Report::FreshReader.new(console, store: url, dir: segments).call
    assert_match(/can't be opened .*; check that the server runs/, said)
  end

  # At any second, the first of a window included.
  def test_the_passing_second_belongs_to_the_report
    now_s = Process.clock_gettime(Process::CLOCK_REALTIME, :second) / 60 * 60
    measure(2, start_ns: now_s * 1_000_000_000)
    collect
    [[], ["--fresh"]].each do |options|
      said = report("--json", *options, clock: CommandLine::Still.new(now_s:))
      assert_equal 2, JSON.parse(said.out).dig("totals", "count"), options.inspect
    end
  end

  # Else a second store would get what the first has, and the segments would be removed before their own has
  # them.
  def test_what_another_store_has_is_left_to_it
    measure(4)
    collect
    measure(3)
    other = File.join(folder, "other.sqlite3")
    Holdup::Store.open(other).then { |one| one.commit([], {"made" => "x"}) && one.close }
    said = report("--json", "--fresh", store: other)
    assert_match(/no collector is running, and that of .* has not written to .*other.sqlite3/, said.err)
    assert_equal 0, JSON.parse(said.out).dig("totals", "count")
    assert_equal 7, JSON.parse(report("--json", "--fresh").out).dig("totals", "count")
  end

  def test_a_collector_that_runs_is_asked_and_waited_for
    measure(4)
    pid = Process.spawn(RbConfig.ruby, CommandLine::EXE, "collect", "--dir", segments, "--store", path,
      "--interval", "3600", err: File::NULL)
    started << pid
    wait_until { counted == 4 }
    measure(3)
    said = report("--json", "--fresh")
    assert_equal "", said.err
    assert_equal 7, JSON.parse(said.out).dig("totals", "count")
    measure(9)
    assert_match(/^- 16 requests in /, report.out, "most of them were not stored yet")
  ensure
    end_process(pid, :TERM) if pid
  end

  def test_a_collector_that_does_not_answer_is_not_waited_for_long
    measure(4)
    election = Holdup::Collector::Election.new(File.join(segments, "collector.lock"))
    assert election.won?
    late = Holdup::Report::FreshReader.new(console, store: path, dir: segments, patience_s: 0.2).call
    assert_match(/has not stored everything within 0.2 s/, late)
  ensure
    election&.release
  end

  private

  def segments = @segments ||= File.join(folder, "segments")

  def path = File.join(folder, "store.sqlite3")

  def store = Holdup::Store.open(path)

  def console
    Holdup::CLI::Console.new(
      out: StringIO.new,
      err: StringIO.new,
      env: {"HOME" => folder},
      clock: Holdup::Clock.new
    )
  end

  def report(*arguments, store: path, clock: Holdup::Clock.new)
    out = StringIO.new
    err = StringIO.new
    env = {"HOME" => folder, "HOLDUP_DIR" => segments, "HOLDUP_STORE" => path}
    one = Holdup::CLI::Console.new(out:, err:, env:, clock:)
    status = Holdup::CLI.new(console: one).run(["report", *arguments, *(["--store", store] if store)])
    CommandLine::Said.new(status:, out: out.string.gsub(/\n +(?=\S)/, " "), err: err.string)
  end

  def writer = @writer ||= SegmentWriter.new(segments)

  def measure(count, start_ns: Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond))
    count.times { writer.record("A#b", wall: 5_000_000, start_ns:) }
  end

  # Under the name that this host has by itself.
  def collect
    Holdup::Collector.new(store:, directory: segments, log: CollectedLog.new).once
  end

  def counted
    Holdup::Store.open(path, read_only: true).then do |one|
      one.windows(0, 1 << 40, kinds: :request).sum(&:count).tap { one.close }
    end
  rescue Holdup::StoreError
    0
  end
end
