# frozen_string_literal: true

require "test_helper"
require "json"
require "holdup/model/flat_json"

class Holdup::FlatJsonTest < Minitest::Test
  FlatJson = Holdup::FlatJson
  FACTS = {"server" => "puma", "threads" => 5, "ratio" => 0.25, "preload" => true, "jit" => false}.freeze

  def test_numbers_texts_and_booleans_survive_a_json_parser
    assert_equal FACTS, JSON.parse(FlatJson.generate(FACTS))
    assert_equal({}, JSON.parse(FlatJson.generate({})))
  end

  def test_every_character_survives_a_json_parser
    characters = (0..0x2FF).map { |code| code.chr(Encoding::UTF_8) } + ["\u2028", "\u{1F4A9}", "件"]
    characters.each do |character|
      facts = {"a#{character}b" => "x#{character}y"}
      assert_equal facts, JSON.parse(FlatJson.generate(facts)), character.inspect
    end
  end

  def test_replaces_bytes_that_are_not_utf_8
    written = FlatJson.generate({"path" => "/srv/\xFF".b, "name" => "caf\xE9"})
    assert_predicate written, :valid_encoding?
    assert_equal({"path" => "/srv/?", "name" => "caf?"}, JSON.parse(written))
  end

  def test_cuts_texts_by_characters
    long = "件" * (FlatJson::LONGEST_VALUE + 1)
    assert_equal "件" * FlatJson::LONGEST_VALUE, JSON.parse(FlatJson.generate({"a" => long}))["a"]
    fitting = "x" * FlatJson::LONGEST_VALUE
    assert_equal fitting, JSON.parse(FlatJson.generate({"a" => fitting}))["a"]
  end

  # What a segment has room for, byte by byte: as many of the first facts as fit, never half of one.
  def test_leaves_out_the_last_facts_without_room
    whole = FlatJson.generate(FACTS)
    (2..whole.bytesize + 1).each do |room|
      written = FlatJson.generate(FACTS, room:)
      kept = JSON.parse(written)
      assert_operator written.bytesize, :<=, room
      assert_equal FACTS.first(kept.size).to_h, kept, "room #{room}"
      next if kept.size == FACTS.size
      one_more = FlatJson.generate(FACTS.first(kept.size + 1).to_h)
      assert_operator one_more.bytesize, :>, room, "another fact fits into #{room} bytes"
    end
    assert_equal whole, FlatJson.generate(FACTS, room: whole.bytesize)
  end
end
