# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Compare::Comparison
  class ContributionTest < Minitest::Test
    A, B, C = %w[A#a B#b C#c].map { |name| Holdup::Series.new(kind: :request, name:) }
    # Units and mean elapsed times of each endpoint.
    MeasuredSide = Data.define(:counts, :walls) do
      def means(name) = (name == :wall) ? walls : raise(ArgumentError, name.to_s)
    end
    BEFORE = MeasuredSide.new(counts: {A => 60, B => 40}, walls: {A => 10.0, B => 100.0})

    def test_an_endpoint_moves_the_mean_by_its_share_of_the_units_before
      after = MeasuredSide.new(counts: {A => 10, B => 90}, walls: {A => 20.0, B => 50.0})
      assert_equal({A => 6.0, B => -20.0},
        Holdup::Compare::BlockBootstrap::Contribution.moves([BEFORE, after]))
    end

    # With the mix of the side before on both sides.
    def test_moves_add_up_to_the_difference_of_the_means
      random = Random.new(1)
      20.times do
        sides = Array.new(2) { MeasuredSide.new(counts: numbers(random), walls: numbers(random)) }
        shares = sides.first.counts.transform_values { |count| count / sides.first.counts.values.sum }
        before, after = sides.map { |side| shares.sum { |series, share| share * side.walls[series] } }
        assert_in_delta after - before,
          Holdup::Compare::BlockBootstrap::Contribution.moves(sides).values.sum, 1e-6
      end
    end

    def test_an_endpoint_that_one_side_has_not_drawn_does_not_move
      after = MeasuredSide.new(counts: {A => 10, B => 0}, walls: {A => 20.0})
      assert_equal [A], Holdup::Compare::BlockBootstrap::Contribution.moves([BEFORE, after]).keys
    end

    def test_those_that_moved_most_come_first_in_either_direction
      after = MeasuredSide.new(counts: {A => 10, B => 90}, walls: {A => 20.0, B => 50.0})
      assert_equal [B, A], contributions(after).map(&:series)
    end

    def test_shares_and_means_of_both_sides
      after = MeasuredSide.new(counts: {A => 10, B => 90}, walls: {A => 20.0, B => 50.0})
      first = contributions(after).first
      assert_equal [0.4, 0.9], first.shares
      assert_equal [100.0, 50.0], first.means
      assert_in_delta(-20.0, first.moved_ns)
    end

    def test_without_rounds_the_range_is_unknown
      after = MeasuredSide.new(counts: BEFORE.counts, walls: {A => 20.0, B => 50.0})
      assert_equal [nil, nil], contributions(after).map(&:range)
    end

    def test_the_range_is_around_the_move_and_grows_with_the_spread_of_the_rounds
      after = MeasuredSide.new(counts: BEFORE.counts, walls: {A => 20.0, B => 50.0})
      calm, wild = [1.0, 4.0].map { |spread| contributions(after, rounds: rounds(spread)).first }
      [calm, wild].each do |contribution|
        middle = (contribution.range.begin + contribution.range.end) / 2
        assert_in_delta contribution.moved_ns, middle, 1e-6
      end
      assert_in_epsilon 4.0, width(wild) / width(calm), 1e-9
    end

    def test_the_range_is_widened_as_its_blocks_depend_on_each_other
      after = MeasuredSide.new(counts: BEFORE.counts, walls: {A => 20.0, B => 50.0})
      plain, widened = [1.0, 1.5].map do |widening|
        contributions(after, rounds: rounds(1.0), widening:).first
      end
      assert_in_epsilon 1.5, width(widened) / width(plain), 1e-9
    end

    # It had no units in that draw.
    def test_a_round_without_the_endpoint_counts_as_no_move
      after = MeasuredSide.new(counts: BEFORE.counts, walls: {A => 10.0, B => 50.0})
      rounds = rounds(1.0)
      missing = rounds.map { |moves| moves.except(B) }
      nothing = contributions(after, rounds: missing).find { |contribution| contribution.series == B }
      assert_in_delta 0.0, width(nothing)
    end

    private

    def contributions(after, rounds: [], **)
      bootstrap = Holdup::Compare::BlockBootstrap.new(10, 10, paired: true)
      Holdup::Compare::BlockBootstrap::Contribution.all([BEFORE, after], rounds, bootstrap, **)
    end

    def rounds(spread)
      random = Random.new(6)
      Array.new(50) { {A => 6.0, B => -20.0 + spread * (random.rand - 0.5)} }
    end

    def numbers(random)
      [A, B, C].to_h { |series| [series, random.rand(1.0..100.0)] }
    end

    def width(contribution) = contribution.range.end - contribution.range.begin
  end
end
