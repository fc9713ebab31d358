# frozen_string_literal: true

require "test_helper"
require "holdup/model/collector_checkpoint"

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
