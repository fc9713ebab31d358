# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::Sections::MemoryTableTest < Minitest::Test
  MS = 1_000_000
  SAMPLE = SampleWindows.new

  # Slots of 50 bytes, where they are known.
  def window(name, objects:, others: 0, gc: 0, malloc: 0, sampled: objects)
    sums = {objects:, objects_own_ns: 100 * MS, objects_others_ns: others * MS, gc_ns: gc * MS,
            malloc_bytes: malloc, slot_bytes: 50 * sampled, slot_objects: sampled}
    SAMPLE.window(name, count: 10, sums:, histograms: {running: Holdup::Histogram.of_sum(100 * MS)})
  end

  def table(*windows, language: "en")
    summary = Holdup::Analysis::Summary.new(windows, from_s: SAMPLE.from_s, to_s: SAMPLE.to_s)
    Holdup::Report::Sections::MemoryTable.new(summary, words: Holdup::View::Words.new(language), limit: 10)
  end

  def windows = [window("A#a", objects: 90_000), window("B#b", objects: 10_000, gc: 20, malloc: 45_000_000)]

  def test_nothing_where_no_objects_were_counted
    summary = Holdup::Analysis::Summary.new(SAMPLE.to_a, from_s: SAMPLE.from_s, to_s: SAMPLE.to_s)
    words = Holdup::View::Words.new
    assert_nil Holdup::Report::Sections::MemoryTable.new(summary, words:, limit: 10).call
  end

  def test_a_row_for_each_name
    rows = table(*windows).call.rows.to_h { |name, *cells| [name, cells] }
    assert_equal ["9,000", "90.0", "450 kB", "9.0", "1.80 ms", "0"], rows["A#a"]
    assert_equal ["1,000", "10.0", "4.55 MB", "91.0", "200 us", "2.00 ms"], rows["B#b"]
  end

  def test_marks_what_depends_on_others
    found = table(window("A#a", objects: 90_000, others: 101), window("B#b", objects: 0)).call
    cells = found.rows.to_h { |name, *cells| [name, cells] }["A#a"]
    assert_match(/\A~/, cells[0])
    assert_match(/\A~/, cells[2])
  end

  # Two threads that ran meanwhile: of 90,000 objects in its readings, at most all are its own.
  def test_an_estimate_has_bounds
    found = table(window("A#a", objects: 90_000, others: 20), window("B#b", objects: 30_000)).call
    cells = found.rows.to_h { |name, *cells| [name, cells] }
    assert_match(/\A~[78],\d{3} \(7,200-9,000\)\z/, cells["A#a"][0])
    assert_equal "3,000", cells["B#b"][0]
  end

  def test_no_row_says_that_a_request_allocates_nothing
    found = table(window("A#a", objects: 500, others: 101), window("B#b", objects: 90_000)).call
    cells = found.rows.to_h { |name, *cells| [name, cells] }["A#a"]
    assert_equal "<= 50", cells[0]
    assert_equal ["-", "-"], cells.values_at(1, 4), "shares of what is not known are not 0"
  end

  def test_shares_of_unlike_processes_add_up_to_the_last_row
    setting = Holdup::Setting.new(attributes: {"server" => "sidekiq"})
    job = window("Job", objects: 300_000).with(setting:)
    found = table(window("A#a", objects: 100_000), job).call
    assert_equal({"A#a" => "25.0", "Job" => "75.0"}, found.rows.to_h { |name, *cells| [name, cells[1]] })
    assert_equal "100", found.total[2]
  end

  def test_a_report_about_one_name_says_that_other_requests_allocated_too
    filter = Holdup::Analysis::UnitFilter.new(name: "A#a")
    summary = Holdup::Analysis::Summary.new(windows, from_s: SAMPLE.from_s, to_s: SAMPLE.to_s, filter:)
    {"en" => "Other requests and jobs, and threads outside of them, allocated the other 10.0 % of all " \
             "objects.",
     "ja" => "残りの 10.0 % は、ほかのリクエストやジョブと、それ以外のスレッドが割り当てたオブジェクトです。"}.each do |language, said|
      words = Holdup::View::Words.new(language)
      notes = Holdup::Report::Sections::MemoryTable.new(summary, words:, limit: 10).call.notes
      assert_includes notes, said
    end
  end

  def test_a_name_without_requests_or_without_readings_has_no_row
    unread = SAMPLE.window("B#b", count: 10, histograms: {running: Holdup::Histogram.of_sum(MS)})
    gone = window("C#c", objects: 5).with(count: 0)
    assert_equal ["A#a"], table(window("A#a", objects: 90_000), unread, gone).call.rows.map(&:first)
  end

  def test_what_other_threads_allocated_makes_the_sum_whole
    poller = window("thread:poller", objects: 25_000).with(count: 0,
      series: Holdup::Series.new(kind: :account, name: "thread:poller"))
    found = table(window("A#a", objects: 75_000), poller).call
    assert_equal "75.0", found.total[2]
    rest = "Threads outside of requests and jobs allocated the other 25.0 % of all objects."
    assert_includes found.notes, rest
  end

  def test_the_sentence
    assert_equal "Each allocates 5,000 objects and 2.50 MB, together 100 % of all objects and 100 % of all " \
      "bytes that its processes allocate, and so causes 1.00 ms of garbage collection.",
      table(*windows).sentence
    assert_includes table(*windows, language: "ja").sentence, "5,000 個、2.50 MB"
  end

  def test_without_bytes
    objects = [window("A#a", objects: 90_000, sampled: 0)]
    assert_equal ["A#a", "9,000", "100", "-", "-", "0", "0"], table(*objects).call.rows.first
    assert_equal "Each allocates 9,000 objects, together 100 % of all that its processes allocate, and so " \
      "causes 0 of garbage collection.", table(*objects).sentence
  end

  # @param watches [Array] name, bytes and bytes in use of each that was watched
  def table_with_peaks(*watches, language: "en")
    peaks = watches.each_with_object(Holdup::MemoryPeaks.new) { |watch, all| all.add(*watch) }
    samples = [{**process_samples(0, 1).first, **peaks.facts.transform_keys(&:to_sym)}]
    summary = Holdup::Analysis::Summary.new(windows, from_s: SAMPLE.from_s, to_s: SAMPLE.to_s, samples:)
    Holdup::Report::Sections::MemoryTable.new(summary, words: Holdup::View::Words.new(language), limit: 10)
  end

  def test_the_largest_peak_of_those_that_were_watched
    found = table_with_peaks(["A#a", 3_000_000, 0], ["A#a", 20_000_000, 0]).call
    assert_equal({"A#a" => "20.0 MB", "B#b" => "-"}, found.rows.to_h { |name, *cells| [name, cells.last] })
    assert_equal "peak", found.columns.last.text
    assert(found.notes.any? { |note| note.start_with?("peak: the most memory") })
  end

  def test_says_who_takes_much_memory_at_once
    assert_equal ["A#a takes up to 20.0 MB of memory at once, with objects that wait for garbage " \
      "collection. The mean is 11.5 MB, of 2 that were watched."],
      table_with_peaks(["A#a", 3_000_000, 0], ["A#a", 20_000_000, 0]).large_peak
    assert_includes table_with_peaks(["A#a", 20_000_000, 9_000_000]).large_peak.first,
      "At least 9.00 MB of it was in use."
    assert_includes table_with_peaks(["A#a", 20_000_000, 9_000_000], language: "ja").large_peak.first,
      "少なくとも 9.00 MB は使用中"
    assert_empty table_with_peaks(["A#a", 3_000_000, 0]).large_peak
  end

  # Ninety minutes of ten endpoints in two processes. `leak_bytes`: what one of them keeps with each request;
  # `jumps`: {minute => bytes} by which memory rises or falls besides
  # @return [Array<String>] what `--table memory` says before the table
  def answers(leak_bytes: 0, jumps: {}, language: "en")
    store = Holdup::Store.open("memory:")
    random = Random.new(7)
    size = 800_000_000
    samples = [*process_samples(0, size)]
    windows = Array.new(90) do |minute|
      counts = Array.new(10) { |number| ["E#a#{number}", random.rand(5..60)] }.to_h
      size += counts["E#a3"] * leak_bytes + random.rand(-200_000..200_000) + jumps.fetch(minute, 0)
      samples.concat(process_samples(minute + 1, size))
      counts.map { |name, count| counted(name, count, SAMPLE.from_s + 60 * minute) }
    end
    store.commit(windows.flatten, {}, processes: samples)
    asked(store, language)
  end

  def counted(name, count, start_s)
    window(name, objects: 1000 * count).with(count:, start_s:, host: "web-1")
  end

  def process_samples(minute, size)
    [1, 2].map do |pid|
      {at_s: SAMPLE.from_s + 60 * minute, host: "web-1", pid:, start: 1, since_s: SAMPLE.from_s - 7200,
       rss_bytes: size / 2}
    end
  end

  def asked(store, language)
    report = Holdup::Report::FullReport
    span = {from_s: SAMPLE.from_s, to_s: SAMPLE.from_s + 5400}
    summary = Holdup::Queries::LoadSummary.call(store, **span, growth: true) do |known|
      report.parts_of_table(:memory, known)
    end
    blocks = report.new(summary, words: Holdup::View::Words.new(language)).table(:memory).blocks
    assert_instance_of Holdup::View::Section, blocks.last
    blocks.first.texts
  end

  EACH = /\AThe processes grow with E#a3: by (\S+) kB with each of them /
  WITHIN = /\(95 % interval: (\S+) kB to (\S+) kB\)/

  def test_names_what_makes_the_processes_grow_with_an_interval
    said, *others = answers(leak_bytes: 30_000)
    assert_empty others
    assert_match EACH, said
    assert_match WITHIN, said
    each, least, most = [EACH, WITHIN].flat_map { |pattern| said.match(pattern).captures }.map(&:to_f)
    assert_operator least, :<, 30.0
    assert_operator most, :>, 30.0
    assert_in_delta 30.0, each, 2.0
    assert_match(/\AE#a3 とともに.*95 % 信頼区間/, answers(leak_bytes: 30_000, language: "ja").first)
  end

  def test_a_cache_that_fills_once_and_what_is_large_for_a_minute_name_nobody
    {"calm" => {}, "cache" => {20 => 60_000_000}, "temporary" => {30 => 90_000_000, 31 => -90_000_000}}
      .each do |name, jumps|
      said, *others = answers(jumps:)
      assert_empty others, name
      assert_match(/\ANo request or job is known to make the processes grow\./, said, name)
    end
  end

  # Samples of a process that watched 120 requests of ten endpoints, in 12 blocks.
  # @yieldparam number [Integer] of the block
  # @yieldreturn [Array(Integer, Integer)] how many requests of E#a3 leave objects in it, and their bytes
  def watched(majors: 1)
    retained = Array.new(12) { |number| yield number }
    facts = {"retained.watched": 120, "retained.names": 10, "retained.majors": majors}
    if retained.flatten.any?(&:positive?)
      facts.update("retained.0.name": "E#a3",
        "retained.0.units": retained.map { |left, _| "1.#{left}" }.join(","),
        "retained.0.bytes": retained.map { |_, bytes| bytes.to_s(36) }.join(","))
    end
    store = Holdup::Store.open("memory:")
    first, last = [process_samples(1, 100_000_000).first, process_samples(9, 120_000_000).first]
    windows = Array.new(10) { |number| counted("E#a#{number}", 3600, SAMPLE.from_s) }
    store.commit(windows, {}, processes: [first, last.merge(facts)])
    store
  end

  def test_names_what_leaves_objects_and_what_everything_else_grows_by
    store = watched { [1, 1000] }
    said, sum, *others = asked(store, "en")
    assert_empty others
    assert_equal "E#a3 leaves 1.00 kB in memory each time (95 % interval: 1.00 kB to 1.00 kB), together " \
      "3.60 MB: of 12 that were watched, 12 have objects that no garbage collection has freed since, from " \
      "the first to the last part of the time.", said
    whole = "The processes grew by 10.0 MB: 3.60 MB by what these leave, 6.40 MB by everything else."
    assert_equal whole, sum
    assert_match(/\AE#a3 は 1 件ごとに 1.00 kB/, asked(store, "ja").first)
  end

  # What grows is found among all that ran.
  def test_says_of_chosen_requests_only_what_these_leave
    store = watched { [1, 1000] }
    span = {from_s: SAMPLE.from_s, to_s: SAMPLE.from_s + 5400, growth: true}
    said = %w[E#a3 E#a4].map do |name|
      filter = Holdup::Analysis::UnitFilter.new(name:)
      summary = Holdup::Queries::LoadSummary.call(store, **span, filter:) do |known|
        Holdup::Report::Sections::MemoryTable.answer_parts(known)
      end
      table = Holdup::Report::Sections::MemoryTable.new(summary, words: Holdup::View::Words.new, limit: 5)
      table.growth_sentences
    end
    assert_match(/\AE#a3 leaves 1.00 kB/, said.first.first)
    assert_empty said.last
  end

  def test_says_that_garbage_may_be_among_it_before_a_major_collection
    said, = asked(watched(majors: 0) { [1, 1000] }, "en")
    assert_match(/No major collection has run yet, which may free some of them\.\z/, said)
  end

  def test_a_cache_that_filled_names_nobody
    [->(number) { (number < 6) ? [1, 1000] : [0, 0] }, ->(_) { [0, 0] }].each do |left|
      said, *others = asked(watched(&left), "en")
      assert_empty others
      assert_equal "No request or job is known to make the processes grow: of 120 that were watched, none " \
        "leaves objects both in the first and in the last half of the time.", said
    end
  end
end
