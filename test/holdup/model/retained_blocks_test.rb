# frozen_string_literal: true

require "test_helper"
require "holdup/model/retained_blocks"

class Holdup::RetainedBlocksTest < Minitest::Test
  def blocks(watches)
    blocks = Holdup::RetainedBlocks.new
    (1..watches).each do |number|
      blocks.add(number, "A#a")
      blocks.retain(number, "A#a", 100) if yield(number)
    end
    blocks.last_number = watches
    blocks
  end

  def tallies(blocks) = Holdup::RetainedBlocks.parse(*blocks.texts("A#a"))

  def test_there_are_never_more_blocks_than_fit
    [1, 11, 12, 13, 500, 100_000].each do |watches|
      found = tallies(blocks(watches) { true })
      assert_operator found.size, :<=, Holdup::RetainedBlocks::MOST, watches.to_s
      assert_operator found.size, :>=, [watches, 6].min, watches.to_s
      assert_equal watches, found.sum(&:watched)
      assert_equal 100 * watches, found.sum(&:bytes)
    end
  end

  def test_what_was_retained_early_stays_in_the_first_blocks
    found = tallies(blocks(1000) { |number| number < 60 })
    assert_equal 59, found.first.retaining
    assert_equal 0, found.drop(1).sum(&:retaining)
  end

  def test_a_copy_has_figures_of_its_own
    whole = blocks(10) { false }
    whole.dup.retain(3, "A#a", 5)
    assert_equal 0, tallies(whole).sum(&:bytes)
  end

  def test_texts_of_many_watches_fit_into_a_profile
    units, bytes = blocks(40_000) { true }.texts("A#a")
    assert_operator units.size, :<=, 120
    assert_operator bytes.size, :<=, 120
  end

  def test_names_that_retain_most_come_first
    whole = Holdup::RetainedBlocks.new
    %w[A#a B#b C#c].each_with_index { |name, index| whole.add(index + 1, name) }
    whole.retain(2, "B#b", 10)
    whole.retain(3, "C#c", 20)
    assert_equal %w[C#c B#b], whole.largest(6)
    assert_equal %w[C#c], whole.largest(1)
    assert_equal 3, whole.watched
  end

  def test_a_damaged_text_is_refused
    assert_raises(ArgumentError) { Holdup::RetainedBlocks.parse("1.?", "0") }
  end
end
