# frozen_string_literal: true

require "test_helper"
require "support/swept"

class Holdup::Lab::Sweep::ProgressFileTest < Minitest::Test
  include Swept
  include TemporaryFolder

  def path = File.join(folder, "sweep.json")

  def test_keeps_everything_in_a_file_and_knows_what_is_left
    ledger = ledger(path:, plan: plan(rounds: 2))
    ledger.add([reading(arm)], [prediction(arm)])
    again = Swept::Sweep::ProgressFile.open(path)
    assert_equal [ledger.plan, [reading(arm)], [prediction(arm)]],
      [again.plan, again.readings, again.predictions]
    assert_equal ledger.plan.steps - [[0, arm]], again.left
    assert_equal ["sweep.json"], Dir.children(folder)
  end

  def test_rejects_a_file_that_is_not_a_sweep
    ["{}", "[1]", "no", '{"kind":"holdup sweep","schema":1}'].each do |text|
      File.write(path, text)
      assert_match(/was not written by this version; name the file/,
        assert_raises(Holdup::Error) { Swept::Sweep::ProgressFile.open(path) }.message)
    end
    assert_match(/can't be read/,
      assert_raises(Holdup::Error) { Swept::Sweep::ProgressFile.open("#{path}.none") }.message)
  end

  def test_says_where_it_cannot_be_kept
    error = assert_raises(Holdup::Error) { ledger(path: "#{folder}/none/sweep.json").write }
    assert_match(/can't be kept in .*; name another file with --out/, error.message)
  end
end
