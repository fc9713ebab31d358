# frozen_string_literal: true

require "test_helper"
require "holdup/model/collector_checkpoint"

class Holdup::CollectorCheckpointTest < Minitest::Test
  KEY = {host: "web-1", folder: "/x", at_ns: 7}.freeze

  def load(text) = Holdup::CollectorCheckpoint.load(**KEY, text:)

  def test_comes_back_from_its_text
    lost = Holdup::Autopsy.new(source: "f/7-1.segment:5:lost", host: "web-1", pid: 7, name: "worker 0",
      setting: "abc", since_ns: 1, alive_ns: 2, gone_ns: 3, reason: :lost, last_round_ns: 3,
      units: [{kind: :job, name: "J", state: :gvl}])
    one = Holdup::CollectorCheckpoint.new(**KEY, units: {"7-1.segment" => 9})
    [one, one.with(last_round: [lost]), one.with(units: {})].each do |checkpoint|
      assert_equal checkpoint, load(checkpoint.to_text)
    end
  end

  def test_refuses_text_that_is_damaged
    assert_raises(JSON::ParserError) { load("{") }
    assert_raises(KeyError) { load('{"units":{}}') }
    assert_raises(KeyError) { load('{"units":{},"last_round":[{}]}') }
  end
end

class Holdup::CheckpointNamesTest < Minitest::Test
  Names = Holdup::CheckpointNames
  ID = "0123456789abcdef"
  OTHER_ID = "0123456789abcdee"
  DAY = 86_400
  NOW_S = 20_000 * DAY

  def test_a_folder_is_silent_when_none_of_its_collectors_was_heard_for_two_weeks
    states = [state(ID, 14 * DAY + 1), state(ID, 15 * DAY, path: "/other"), state(OTHER_ID, 15 * DAY),
      state(OTHER_ID, 14 * DAY, path: "/other")]
    assert_equal [ID], Names.silent(states, NOW_S)
  end

  def test_a_state_of_a_folder_without_an_id_has_no_checkpoints
    state = state(ID, 15 * DAY).with(folder: "/dev/shm/holdup")
    assert_empty Names.silent([state], NOW_S)
  end

  def test_leaves_the_token_with_the_time
    names = ["#{ID} segments/1-1.segment", Names.token(ID)]
    changes = {names.first => nil, names.last => "3 abc pruned #{NOW_S}"}
    assert_equal changes, Names.pruned(ID, names, "3 abc", NOW_S)
  end

  def test_leaves_alone_what_is_pruned_already_or_has_no_token
    assert_empty Names.pruned(ID, [Names.token(ID)], "3 abc pruned 7", NOW_S)
    assert_empty Names.pruned(ID, ["#{ID} segments/1-1.segment"], nil, NOW_S)
  end

  def test_forgets_a_token_sixteen_days_after
    limit_s = NOW_S - 16 * DAY
    texts = {Names.token(ID) => "3 abc pruned #{limit_s - 1}",
             Names.token(OTHER_ID) => "3 abc pruned #{limit_s}",
             "#{ID} segments/#token2" => "3 abc pruned 1", Names.token("a" * 16) => "3 abc"}
    assert_equal [Names.token(ID)], Names.forgotten(texts, NOW_S)
  end

  private

  def state(id, age_s, path: "/dev/shm/holdup")
    folder = Holdup::CollectorCheckpoint.folder(path, id)
    Holdup::CollectorCheckpoint.new(host: "a", folder:, at_ns: (NOW_S - age_s) * 1_000_000_000, units: {})
  end
end
