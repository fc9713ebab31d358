# frozen_string_literal: true

require "test_helper"
require "holdup/capture/event_log"
require "holdup/loader"

class Holdup::Captures::ChainSentencesTest < Minitest::Test
  MS = 1_000_000
  SQL = ["Report#rows", "/app/report.rb", 30].freeze

  # Thread 3 waits for thread 2, which had waited for a lock that thread 1 gave back.
  def scene
    ring = EventRing.new.running(1).idle(2).idle(3).begins(1, 2, 0).begins(2, 3, 0)
    ring.ready(2, 40 * MS, kind: :lock, unit: 1).suspended(1, 41 * MS).resumed(2, 41 * MS, unit: 1)
      .ready(3, 45 * MS, unit: 2).stack(2, 60 * MS, SQL, unit: 1).suspended(2, 80 * MS, unit: 1)
      .resumed(3, 81 * MS, unit: 2).ends(2, 3, 90 * MS, name: "GET /light").suspended(3, 91 * MS)
      .ready(2, 92 * MS, unit: 1).resumed(2, 92 * MS, unit: 1).ends(1, 2, 100 * MS, name: "GET /hog")
    Holdup::Captures::Timeline::Scene.new(ring.recording(to: 110 * MS))
  end

  def sentences(name, language: "en")
    words = Holdup::View::Words.new(language)
    scene = self.scene
    unit = scene.units.find { |each| each.name == name }
    Holdup::Captures::ChainSentences.new(scene, words:).call(unit)&.tr("\u00A0", " ")
  end

  def test_one_sentence_for_each_wait
    assert_equal "It waited 36.0 ms for the GVL: GET /hog held it 35.0 ms, in Report#rows " \
      "(/app/report.rb:31). GET /hog itself waited 40.0 ms for locks: thread main ended 40.0 ms of that.",
      sentences("GET /light")
  end

  def test_japanese
    assert_match(/\AGVL 待ちは 36\.0 ms でした。そのうち 35\.0 ms は GET \/hog が GVL を持っていたためです。そのうち最も長く/,
      sentences("GET /light", language: "ja"))
    assert_match(/その GET \/hog 自身のロック待ちは 40\.0 ms でした。.*です。\z/,
      sentences("GET /light", language: "ja"))
  end

  # The answer above the chain says that already.
  def test_says_nothing_about_one_wait_alone
    assert_nil sentences("GET /hog")
  end
end
