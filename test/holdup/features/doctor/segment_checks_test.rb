# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Doctor::SegmentChecksTest < Minitest::Test
  include DoctorHost

  def captures(*states)
    Holdup::Doctor::SegmentChecks::RuleCaptures.call(host(segments: states.map { |state, share|
      process(
        profile: {"capture.rule" => "stall > 50 ms",
                  "capture.state" => state}, ring_share: share
      )
    }))
  end

  def test_the_folder
    assert_equal({folder_missing: :warn, collector_idle: :warn},
      troubles(segments: [], dir_state: :missing, collector: false))
    assert_equal({folder_unreadable: :fail}, troubles(segments: [], dir_state: :unreadable))
    %i[foreign unwritable unmakeable].each do |state|
      found = troubles(segments: [], dir_state: state, collector: false)
      assert_equal :fail, found[:"folder_#{state}"], state
    end
    assert_equal({folder_unwritable: :fail}, troubles(dir_state: :unwritable))
    assert_equal({folder_on_disk: :warn}, troubles(tmpfs: false))
    assert_empty troubles(tmpfs: nil)
  end

  def test_nothing_measures
    assert_equal({segments_none: :warn}, troubles(segments: []))
    assert_equal({segments_none: :warn}, troubles(segments: [process(alive: false)]))
  end

  def test_files_that_are_no_segments
    assert_equal({segment_refused: :warn}, troubles(refused: ["/x has layout 9"]))
  end

  def test_names_a_process_that_makes_no_progress
    old = process(heartbeat_ns: (NOW_S - 300) * 1_000_000_000)
    assert_equal({heartbeat: :warn}, troubles(segments: [old]))
    finding = findings(segments: [old, process(pid: 8, heartbeat_ns: (NOW_S - 7200) * 1_000_000_000)])
      .find { |one| one.key == :heartbeat }
    said = {"en" => "Processes 7, 8 have not ticked for 2 h: their gauges",
            "ja" => "プロセス 7, 8 は 2 時間前から更新されていません"}
    said.each do |language, sentence|
      text = Holdup::View::CheckSentence.call(Holdup::View::Words.new(language), finding.key,
        finding.facts)
      assert_includes text, sentence
    end
    assert_empty troubles(segments: [process, process(pid: 8, alive: false, heartbeat_ns: 0)])
  end

  def test_what_processes_wait_for_to_capture
    assert_empty Holdup::Doctor::SegmentChecks::RuleCaptures.call(host)
    waits = captures(["waits", 0.0002], ["waits", 0.0012], ["rests", nil]).first
    assert_equal [:ok, :capture_rule, "stall > 50 ms", 2, 3, "0.12 %"],
      [waits.level, waits.key, *waits.facts.values_at(:rule, :waiting, :processes, :cost)]
    assert_equal [%i[warn capture_no_memory], %i[warn capture_no_room]],
      captures(["no memory"], ["no room"]).map { |finding| [finding.level, finding.key] }
  end

  def test_counts_what_the_tables_of_names_have_no_room_for
    assert_equal({series_overflow: :warn}, troubles(segments: [process(counters: {overflowed: 4})]))
    assert_equal({thread_names: :warn}, troubles(segments: [process(counters: {unaccounted: 4})]))
  end

  def test_names_processes_whose_segment_was_removed
    assert_equal({segment_nameless: :fail}, troubles(nameless: [8, 9]))
    found = findings(nameless: [8, 9]).find { |finding| finding.key == :segment_nameless }
    assert_equal "8, 9", found.facts[:pids]
    assert_equal({segment_nameless: :fail, segments_none: :warn},
      troubles(segments: [], nameless: [8], dir_state: :ok))
  end

  # The folder is missing because something removed it with its files.
  def test_blames_a_missing_folder_on_what_removed_its_segments
    assert_equal :segment_nameless, troubles(segments: [], dir_state: :missing, nameless: [8]).keys.first
    refute_includes troubles(segments: [], dir_state: :missing, nameless: [8]), :folder_missing
  end

  def test_names_processes_that_lost_their_segment_within_a_day
    found = lost([8, "closed", NOW_S - 60], [7, "removed", NOW_S - 90], [9, "removed", NOW_S - 600])
    assert_equal %i[segment_closed segment_lost], found.map(&:key)
    assert_equal "8", found.first.facts[:pids]
    assert_equal "7, 9", found.last.facts[:pids]
    assert_equal Time.at(NOW_S - 90).strftime("%F %H:%M %:z"), found.last.facts[:at], "the last time"
    assert_empty lost([7, "removed", NOW_S - 86_400])
  end

  # @param processes [Array<Array(Integer, String, Integer)>] pid, what was lost and when
  def lost(*processes)
    segments = processes.map do |pid, what, at_s|
      process(pid:, profile: {"segment.lost" => what, "segment.lost_at_s" => at_s})
    end
    Holdup::Doctor::SegmentChecks::SegmentNames.call(host(segments:))
  end
end
