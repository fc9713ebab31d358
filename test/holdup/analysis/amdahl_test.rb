# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::AmdahlTest < Minitest::Test
  Amdahl = Holdup::Analysis::Amdahl

  def test_the_law
    assert_in_delta 1.0, Amdahl.speed_up(0.9, 1)
    assert_in_delta 1.6, Amdahl.speed_up(0.5, 4)
    assert_in_delta 1.0, Amdahl.speed_up(0.0, 25)
  end

  # The known answers of the articles that size by it.
  def test_the_five_per_cent_rule
    assert_equal({0.25 => 3, 0.45 => 4, 0.5 => 4, 0.75 => 7, 0.9 => 10},
      [0.25, 0.45, 0.5, 0.75, 0.9].to_h { |share| [share, Amdahl.suggestion(share)] })
  end

  def test_the_table
    lines = Amdahl.table(0.5)
    assert_equal Amdahl::THREADS, lines.map(&:threads)
    assert_in_delta 0.0, lines.first.gain
    assert_in_delta 0.333, lines[1].gain, 0.001
  end
end
