# frozen_string_literal: true

require "test_helper"
require "holdup/capture/vernier_profile"

class Holdup::Capture::VernierSamplesTest < Minitest::Test
  # A table of vernier's: stack 0 is main, 1 is main > work, 2 is main > work > times.
  class Table
    FUNCTIONS = [["<main>", "app.rb", 1], ["Report#work", "app.rb", 5], ["Integer#times", "", 0]].freeze

    def stack_frame_idx(stack) = stack

    def stack_parent_idx(stack)
      stack - 1 if stack.positive?
    end

    def frame_func_idx(frame) = frame

    def frame_line_no(frame) = 10 * frame

    def func_name(function) = FUNCTIONS[function][0]

    def func_path(function) = FUNCTIONS[function][1]

    def func_first_lineno(function) = FUNCTIONS[function][2]
  end

  Result = Struct.new(:threads, :_stack_table)
  RAN = 0
  IDLE = 1
  STALLED = 2

  def samples(threads, known: Hash.new { |all, one| all[one] = one })
    Holdup::Capture::VernierSamples.new(Result.new(threads, Table.new), 1_000).call(known)
  end

  def thread(*entries)
    %i[timestamps samples sample_categories weights].zip(entries.transpose).to_h
  end

  def test_only_of_threads_that_ran_in_the_order_of_time
    found = samples({7 => thread([0, 1, RAN, 1], [300, 1, IDLE, 1]),
8 => thread([0, 0, STALLED, 1], [100, 0, RAN, 1], [200, 0, IDLE, 9])})
    assert_equal [[7, 0], [8, 100]], found.map { |id, at_ns| [id, at_ns] }
  end

  def test_those_that_were_put_together_are_spread_until_the_next_or_the_end
    found = samples({7 => thread([0, 0, RAN, 3], [300, 1, RAN, 1], [500, 2, RAN, 2])})
    assert_equal({0 => true, 100 => false, 200 => false, 300 => true, 500 => true, 750 => false},
      found.to_h { |_, at_ns, _, exact| [at_ns, exact] })
  end

  def test_stacks_begin_with_the_innermost
    stack = samples({7 => thread([0, 2, RAN, 1])}).first[2]
    expected = [["Integer#times", nil, 0], 20, ["Report#work", "app.rb", 5], 10, ["<main>", "app.rb", 1], 0]
    assert_equal expected, stack
  end

  def test_a_function_is_the_same_object_in_all_profiles_of_a_capture
    known = Hash.new { |all, one| all[one] = one }
    one, other = Array.new(2) { samples({7 => thread([0, 0, RAN, 1])}, known:).first[2].first }
    assert_same one, other
  end

  def test_a_thread_without_samples
    assert_empty samples({7 => {timestamps: [], samples: [], sample_categories: [], weights: []}})
  end
end
