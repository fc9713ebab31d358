# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Compare::WeightedRowsTest < Minitest::Test
  Masses = Holdup::Compare::WeightedRows
  COLUMNS = 40

  def test_each_row_counts_as_often_as_it_was_drawn
    masses = Masses.new([[1, [1, 2]], nil, [0, [0.5]], [3, [7]]], 4)
    assert_equal [1.0, 3.0, 6.0, 0.0], masses.drawn([3, 5, 2, 0]).unpack("d*")
    assert_equal [false, true], [masses, Masses.new([nil, [3, []]], 4)].map(&:empty?)
  end

  def test_a_mix_has_each_row_by_its_weight_and_not_its_mass
    sums = [[8.0, 0.0], [0.0, 1.0], [0.0, 0.0]].map { |sum| sum.pack("d*") }
    assert_equal [0.25, 0.75], Masses.mix(sums, [0.25, 0.75, 3.0]).unpack("d*")
    assert_equal "", Masses.mix([], [])
  end

  def test_where_a_share_of_the_mass_is_reached
    mix = [0.0, 1.0, 0.0, 3.0].pack("d*")
    assert_equal [[1, 0.0], [1, 1.0], [3, 1 / 3.0], [3, 1.0]],
      [0.0, 0.25, 0.5, 1.0].map { |share| Masses.find(mix, share) }
    assert_nil Masses.find([0.0].pack("d*"), 0.5)
  end

  def test_the_extension_comes_to_what_ruby_comes_to
    50.times do |seed|
      oracle = rounded(Masses::InRuby, Random.new(seed))
      assert_equal oracle, rounded(Holdup::MassDraws, Random.new(seed))
    end
  end

  def test_what_is_damaged_is_refused
    [Holdup::MassDraws, Masses::InRuby].each do |engine|
      [[], [0.0], [0.0, 2.0, 1.0], [3.0, 2.0, 1.0, 1.0], [0.0, 9.0]].each { |row|
        assert_raises(ArgumentError) { engine.total(row.pack("d*"), [1], 4) }
      }
    end
  end

  private

  def rounded(engine, random)
    sums = Array.new(random.rand(0..4)) { engine.total(*rows(random), COLUMNS) }
    mix = engine.mix(sums, sums.map { random.rand })
    [*sums,
      mix].map { |sum| sum.unpack("d*").map { |number| number.round(9) } } + [0.0, 0.3, 0.99,
        1.0].map { |share| engine.find(mix, share)&.map { |number| number.round(6) } }
  end

  def rows(random)
    rows = Array.new(random.rand(0..9)) {
      [random.rand(0..20), Array.new(random.rand(0..20)) { [0, random.rand(5), random.rand].sample(random:) }]
    }
    [rows.map { |first, numbers| [first, numbers.size, *numbers].pack("d*") }.join,
      rows.map { random.rand(0..3) }]
  end
end
