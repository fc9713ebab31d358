# frozen_string_literal: true

require "test_helper"
require "holdup/capture/event_log"
require "holdup/loader"

# What a capture says of the reason for a long hold: no more than its stacks show.
class Holdup::Captures::Timeline::LongHoldTest < Minitest::Test
  MS = 1_000_000
  CRUNCH = ["Report#crunch", "/srv/app/models/report.rb", 12]
  DIGEST = ["OpenSSL::KDF.scrypt", nil, 0]

  # The hog holds from 0 to 400 ms, the light thread waits from `waits_ms` on; stacks of the hog are taken at
  # `stacks_ms`.
  def ring(stacks_ms, waits_ms: 10, frame: CRUNCH)
    ring = EventRing.new.running(2).idle(3).begins(1, 2, 1 * MS)
    events = [[waits_ms, :wait], *stacks_ms.map { |at| [at, :stack] }].sort_by(&:first)
    events.each { |at, kind|
      (kind == :wait) ? ring.ready(3, at * MS) : ring.stack(2, at * MS, frame, unit: 1)
    }
    ring.ends(1, 2, 399 * MS, name: "GET /hog").suspended(2, 400 * MS).resumed(3, 401 * MS)
  end

  def scene(ring, sampler: nil)
    recording = ring.recording(to: 500 * MS)
    recording = recording.with(header: recording.header.with(facts: {"sampler" => sampler})) if sampler
    Holdup::Captures::Timeline::Scene.new(recording)
  end

  def found(scene)
    Holdup::Captures::Timeline::Patterns.new(scene).call.find { |pattern| pattern.key == :long_hold }
  end

  def cause(ring, **given)
    found(scene(ring, **given)).facts.fetch(:cause)
  end

  def sentence(ring, language: "en", **given)
    scene = scene(ring, **given)
    words = Holdup::View::Words.new(language)
    report = Holdup::Captures::TimelineReport.new(scene, holders: nil, patterns: [found(scene)], words:)
    report.findings.first.tr("\u00A0", " ")
  end

  EVERY_TEN = (5..395).step(10).to_a

  def test_code_that_gives_its_stack_all_the_while_is_ruby_code
    assert_equal :ruby, cause(ring(EVERY_TEN))
  end

  def test_ruby_code_is_not_blamed_on_c_code
    text = sentence(ring(EVERY_TEN))
    assert_includes text, "It was Ruby code: its stack was taken 40 times, at most 10.0 ms apart."
    refute_includes text, "C code"
  end

  def test_a_whole_time_slice_without_a_stack_leaves_c_code_or_a_missing_cpu
    assert_equal :silent, cause(ring([5, 15, 395]))
    assert_includes sentence(ring([5, 15, 395])),
      "For 380 ms no stack could be taken: the thread ran C code that keeps the GVL, or had no CPU."
  end

  def test_a_garbage_collection_explains_a_gap_of_samples
    silent = ring([5, 15, 180, 190, *(200..395).step(10)]).collected(2, 20 * MS, 170 * MS)
    assert_equal :ruby, cause(silent)
  end

  def test_no_thread_waited_longer_than_a_time_slice
    late = ring([395], waits_ms: 290)
    assert_equal :late, cause(late)
    assert_includes sentence(late), "No thread waited for it longer than 110 ms"
  end

  def test_without_stacks_the_cause_is_not_known
    assert_equal :unseen, cause(ring([]))
    assert_includes sentence(ring([])), "so the cause is not known"
  end

  def test_a_sampler_saw_c_code
    native = ring(EVERY_TEN, frame: DIGEST)
    assert_equal :native, cause(native, sampler: "vernier 1.12.0")
    assert_includes sentence(native, sampler: "vernier 1.12.0"), "The sampler saw C code in 100 % of it"
  end

  def test_c_code_that_gives_its_stack_checks_for_interrupts
    assert_equal :ruby, cause(ring(EVERY_TEN, frame: DIGEST))
  end

  def test_unit_and_method_have_their_shares_of_the_hold
    half = EventRing.new.running(2).idle(3).begins(1, 2, 100 * MS).ready(3, 110 * MS).stack(2, 150 * MS,
      CRUNCH, unit: 1)
    EVERY_TEN.drop(20).each { |at| half.stack(2, at * MS, CRUNCH, unit: 1) }
    half.ends(1, 2, 400 * MS, name: "GET /hog").suspended(2, 500 * MS).resumed(3, 500 * MS)
    assert_includes sentence(half),
      "thread srv 1 held the GVL for 500 ms without a break, 60.0 % of it in GET /hog, " \
      "100 % in Report#crunch (app/models/report.rb:13);"
  end

  def test_in_japanese
    text = sentence(ring(EVERY_TEN), language: "ja")
    assert_includes text,
      "スレッド srv 1 が GVL を 400 ms 続けて保持しました" \
      "（うち 99.5 % は GET /hog、100 % は Report#crunch（app/models/report.rb:13））"
    assert_includes text, "動いていたのは Ruby のコードです（スタックを 40 回取得、間隔は最長 10.0 ms）"
  end
end
