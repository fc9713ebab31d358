# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Collector
  class CheckpointsTest < Minitest::Test
    ID = "0123456789abcdef"
    OTHER_ID = "0123456789abcdee"
    NAME = "7-99.segment"
    KEY = "#{ID} segments/#{NAME}"
    SERIES = Holdup::Series.new(kind: :request, name: "A#b")
    ACCOUNT = Holdup::Series.new(kind: :account, name: "main")

    def setup
      @store = Holdup::Store.open("memory:")
    end

    def test_reads_the_positions_that_an_earlier_collector_committed
      checkpoint = checkpoint(units: 3, ring_head: 3)
      commit(checkpoints, NAME => checkpoint)
      found = checkpoints[NAME]
      assert_equal checkpoint.to_h.except(:slots), found.to_h.except(:slots)
      assert_equal checkpoint.slots.map(&:bytes), found.slots.map(&:bytes)
    end

    def test_a_file_that_was_never_read_has_none
      assert_nil checkpoints[NAME]
      assert_nil checkpoints.damage(NAME)
    end

    # As of two containers with the same host name and the same path.
    def test_reads_no_position_of_another_folder
      commit(checkpoints, NAME => checkpoint)
      other = checkpoints(id: OTHER_ID)
      assert_nil other[NAME]
      commit(other, {})
      assert_equal checkpoint.created_ns, checkpoints[NAME].created_ns
    end

    # They have gone on from the same state, so one would count again what the other has counted.
    def test_of_two_that_go_on_from_the_same_state_one_commits
      one, other = Array.new(2) { checkpoints }
      commit(one, NAME => checkpoint)
      assert_raises(Holdup::StoreError::Locked) { commit(other, NAME => checkpoint) }
      commit(one, NAME => checkpoint(units: 2))
      assert_equal 2, checkpoints[NAME].ring_head
      commit(checkpoints, NAME => checkpoint(units: 3))
      assert_raises(Holdup::StoreError::Locked) { commit(one, NAME => checkpoint(units: 3)) }
    end

    def test_says_which_collector_of_the_folder_committed_last
      assert_equal 0, checkpoints.generation
      commit(checkpoints(generation: 12), {})
      assert_equal 12, checkpoints(generation: 13).generation
    end

    def test_deletes_the_positions_of_files_that_are_gone
      commit(checkpoints, NAME => checkpoint)
      changes = checkpoints.changes({}, [])
      assert_equal({KEY => nil, "#{KEY}#units" => nil}, changes)
      commit(checkpoints, {})
      assert_empty stored
    end

    def test_keeps_the_position_of_a_file_that_could_not_be_read_now
      commit(checkpoints, NAME => checkpoint)
      assert_empty checkpoints.changes({}, [NAME])
    end

    def test_writes_no_checkpoint_of_a_segment_that_was_not_read
      same = checkpoint(units: 3)
      all = checkpoints
      commit(all, NAME => same)
      assert_empty all.changes({NAME => same}, [NAME])
    end

    def test_writes_units_only_when_units_moved
      all = checkpoints
      first = checkpoint(units: 3)
      commit(all, NAME => first)
      idle = first.with(read_ns: 9, slots: [first.slots.first, account_slot(8)])
      assert_equal [KEY], all.changes({NAME => idle}, [NAME]).keys
      busy = first.with(read_ns: 9, slots: [unit_slot(4), first.slots.last])
      assert_equal [KEY, "#{KEY}#units"], all.changes({NAME => busy}, [NAME]).keys
    end

    def test_both_parts_fit_together_after_an_idle_round
      all = checkpoints
      first = checkpoint(units: 3)
      commit(all, NAME => first)
      commit(all, NAME => first.with(read_ns: 9, slots: [first.slots.first, account_slot(8)]))
      slots = checkpoints[NAME].slots
      assert_equal [unit_slot(3).bytes, account_slot(8).bytes], slots.map(&:bytes)
    end

    def test_a_finished_one_drops_its_units
      all = checkpoints
      first = checkpoint(units: 3)
      commit(all, NAME => first)
      changes = all.changes({NAME => first.done}, [NAME])
      assert_nil changes.fetch("#{KEY}#units")
      commit(all, NAME => first.done)
      assert_equal [KEY], stored
      assert checkpoints[NAME].finished
    end

    def test_names_the_file_of_a_damaged_checkpoint
      commit(checkpoints, NAME => checkpoint, "8-1.segment" => checkpoint)
      @store.commit([], {KEY => "\x01"})
      all = checkpoints
      assert_nil all[NAME]
      assert_kind_of Holdup::DamagedData, all.damage(NAME)
      assert_nil all.damage("8-1.segment")
      assert all["8-1.segment"]
    end

    def test_a_damaged_position_is_deleted_with_its_file
      @store.commit([], {KEY => "\x01", "#{KEY}#units" => "\x01"})
      assert_equal({KEY => nil, "#{KEY}#units" => nil}, checkpoints.changes({}, []))
      assert_empty checkpoints.changes({}, [NAME])
    end

    def test_a_damaged_checkpoint_is_replaced_by_the_next
      @store.commit([], {KEY => "\x01"})
      all = checkpoints
      commit(all, NAME => checkpoint)
      assert_nil all.damage(NAME)
      assert_nil checkpoints.damage(NAME)
    end

    # What a folder had carried that comes back after weeks is unknown, so that nothing is counted twice.
    def test_after_pruning_the_position_of_each_file_is_unknown_until_the_next_commit
      commit(checkpoints, NAME => checkpoint)
      prune
      all = checkpoints
      assert_kind_of Holdup::DamagedData, all.damage(NAME)
      assert_equal 1, all.generation
      commit(all, {NAME => checkpoint}, [NAME, "8-1.segment"])
      assert_nil all.damage(NAME)
      assert_kind_of Holdup::DamagedData, all.damage("8-1.segment"), "it could not be read yet"
      assert_nil all.damage("9-1.segment")
      assert_nil checkpoints.damage(NAME)
    end

    def test_counts_carried_units_of_the_files_that_exist
      all = checkpoints
      commit(all, NAME => checkpoint(ring_head: 5), "8-1.segment" => checkpoint(ring_head: 2))
      units = all.units({NAME => checkpoint(ring_head: 9)}, [NAME])
      assert_equal({NAME => 9}, units)
      assert_equal({NAME => 5, "8-1.segment" => 2}, all.units({}, [NAME, "8-1.segment"]))
    end

    def test_forgets_files_that_are_gone_after_the_commit
      all = checkpoints
      commit(all, NAME => checkpoint)
      commit(all, {"8-1.segment" => checkpoint})
      assert_nil all[NAME]
      assert all["8-1.segment"]
    end

    # Its folder was removed, and its process made it again in another one.
    def test_a_segment_from_another_folder_goes_on_from_its_checkpoint_there
      commit(checkpoints(id: OTHER_ID), NAME => checkpoint(units: 4))
      here = checkpoints
      assert_equal OTHER_ID, here.adopt(NAME, [OTHER_ID])
      assert_equal 4, here[NAME].ring_head
      commit(here, NAME => checkpoint(units: 9))
      assert_equal 9, checkpoints[NAME].ring_head
      assert checkpoints(id: OTHER_ID)[NAME].finished, "a copy of it may come there later"
    end

    def test_whoever_still_carries_it_in_the_other_folder_can_not_commit_any_more
      there = checkpoints(id: OTHER_ID)
      commit(there, NAME => checkpoint)
      here = checkpoints
      here.adopt(NAME, [OTHER_ID])
      commit(here, NAME => checkpoint(units: 2))
      assert_raises(Holdup::StoreError::Locked) { commit(there, NAME => checkpoint(units: 2)) }
    end

    def test_of_what_the_other_commits_meanwhile_nothing_counts_twice
      there = checkpoints(id: OTHER_ID)
      commit(there, NAME => checkpoint)
      here = checkpoints
      here.adopt(NAME, [OTHER_ID])
      commit(there, NAME => checkpoint(units: 2))
      assert_raises(Holdup::StoreError::Locked) { commit(here, NAME => checkpoint(units: 2)) }
    end

    # That collector had noted it and died before its first commit.
    def test_looks_in_the_folder_before_the_last_one_too
      third = "0123456789abcdea"
      commit(checkpoints(id: OTHER_ID), NAME => checkpoint(units: 4))
      here = checkpoints
      assert_equal OTHER_ID, here.adopt(NAME, [third, OTHER_ID])
      assert_equal 4, here[NAME].ring_head
    end

    def test_a_segment_that_is_known_here_is_not_taken_from_elsewhere
      commit(checkpoints(id: OTHER_ID), NAME => checkpoint(units: 4))
      commit(checkpoints, NAME => checkpoint(units: 7))
      here = checkpoints
      here.adopt(NAME, [ID, OTHER_ID])
      assert_equal 7, here[NAME].ring_head
      here.adopt(NAME, [OTHER_ID])
      assert_equal 7, here[NAME].ring_head
    end

    def test_one_that_was_finished_here_and_went_on_elsewhere_comes_back
      commit(checkpoints(id: OTHER_ID), NAME => checkpoint(units: 4))
      commit(checkpoints, NAME => checkpoint(units: 2).done)
      here = checkpoints
      here.adopt(NAME, [OTHER_ID])
      assert_equal 4, here[NAME].ring_head
    end

    def test_what_the_store_has_deleted_of_the_other_folder_is_unknown
      commit(checkpoints(id: OTHER_ID), NAME => checkpoint)
      prune(OTHER_ID)
      here = checkpoints
      here.adopt(NAME, [OTHER_ID])
      assert_kind_of Holdup::DamagedData, here.damage(NAME)
      commit(here, NAME => checkpoint)
      assert_kind_of Holdup::DamagedData, checkpoints(id: OTHER_ID).damage("8-1.segment")
    end

    def test_one_that_can_not_be_read_yet_is_still_adopted_in_the_next_round
      commit(checkpoints(id: OTHER_ID), NAME => checkpoint(units: 4))
      here = checkpoints
      here.adopt(NAME, [OTHER_ID])
      commit(here, {}, [NAME])
      assert_equal 4, here[NAME].ring_head
    end

    def test_keeps_the_position_of_a_file_that_others_removed
      all = checkpoints
      commit(all, NAME => checkpoint, "8-1.segment" => checkpoint.done)
      assert_equal [NAME], all.left_behind([], 7)
      assert_empty all.left_behind([NAME], 7)
      assert_empty all.left_behind([], 7 + Checkpoints::KEEP_NS)
    end

    private

    def checkpoints(id: ID, generation: 1)
      Checkpoints.new(@store, Holdup::Segment::Directory::FolderIdentity.new(id:, generation:))
    end

    # @return [Array<String>] what is stored of segments
    def stored = @store.checkpoints.keys.grep_v(/#token\z/)

    # As a round does, with the files of `latest`.
    def commit(checkpoints, latest, present = latest.keys)
      checkpoints.committing do |token, expected|
        @store.commit([], {**checkpoints.changes(latest, present), **token}, expected:)
      end
      checkpoints.committed(latest, present)
    end

    # As a store does that has heard nothing of the folder for long.
    def prune(id = ID)
      names = @store.checkpoints
      text = names[Holdup::CheckpointNames.token(id)]
      @store.commit([], Holdup::CheckpointNames.pruned(id, names.keys, text, 7))
    end

    def checkpoint(units: 1, ring_head: units)
      SegmentCheckpoint.new(created_ns: 5, read_ns: 6, finished: false, handoff_ns: 2, ring_head:,
        slowest_head: 0, pairs: [units], slots: [unit_slot(units), account_slot(7)])
    end

    def unit_slot(units)
      SegmentCheckpoint::SlotCheckpoint.of(SegmentSlots.slot(SERIES, count: units, wall: [5_000] * units))
    end

    def account_slot(caused_ns)
      SegmentCheckpoint::SlotCheckpoint.of(SegmentSlots.slot(ACCOUNT, sums: {caused_ns:}))
    end
  end
end
