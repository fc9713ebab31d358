# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Doctor::PageTest < Minitest::Test
  include TemporaryFolder

  Blocks = Holdup::View::Blocks
  Context = Data.define(:dir, :clock, :store)

  def sample = @sample ||= SampleWindows.new

  def now_s = sample.to_s

  def filled
    Holdup::Store.open("memory:").tap do |store|
      store.commit(sample.stored, {}, processes: SampleProcesses.new(sample).to_a)
    end
  end

  def page(store = filled)
    open_store = -> { store || raise(Holdup::Error.new("no store", "make one")) }
    context = Context.new(dir: folder, clock: CommandLine::Still.new(now_s:), store: open_store)
    Holdup::Doctor::Page.new(context:, store:, query: nil, words: Holdup::View::Words.new)
  end

  def measuring
    writer = SegmentWriter.new(folder, now_ns: (now_s - 2) * 1_000_000_000)
    writer.profile = {"server" => "puma\e[1m"}
    3.times { writer.record("A", wall: 5) }
  end

  def facts(page) = page.blocks.grep(Blocks::Facts)

  def test_begins_with_how_it_stands_and_has_all_checks
    lead, checks, = page.blocks
    assert_kind_of Blocks::Lead, lead
    assert_operator checks.items.size, :>, 3
  end

  def test_what_the_store_has_and_how_far_it_is_behind
    pairs = facts(page).first.pairs.values
    assert_equal "60.0 s", pairs.last
    assert_equal [sample.from_s, sample.to_s - 60], pairs.grep(Blocks::Moment).map(&:at_s)
  end

  def test_what_holdup_itself_takes
    assert_equal 2, facts(page).size
    empty = Holdup::Store.open("memory:")
    assert_equal 1, facts(page(empty)).size, "nothing is known of its cost"
  end

  # That is when it is needed.
  def test_works_without_a_store
    blocks = page(nil).blocks
    assert_empty blocks.grep(Blocks::Facts)
    assert_match(/no store/, blocks[1].items.map(&:text).join)
  end

  def test_a_row_for_each_process
    assert_empty page.blocks.grep(Holdup::View::Section)
    measuring
    row = page.blocks.grep(Holdup::View::Section).first.rows.first
    assert_equal "pid #{Process.pid}", row.first
    refute_includes row[1], "\e"
    assert_equal ["2.00 s", "3", "0"], row.last(3)
  end

  def test_is_about_no_span
    refute_predicate page, :span?
  end
end
