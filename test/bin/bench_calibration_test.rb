# frozen_string_literal: true

require "test_helper"
require_relative "../../benchmark/support/tracker/calibration"
require_relative "../support/temporary_folder"
require_relative "../support/wait_until"

# How bin/bench knows the machine's speed at the time of a measurement.
class BenchCalibrationTest < Minitest::Test
  include TemporaryFolder
  include WaitUntil

  def test_takes_the_median_of_the_span
    calibration = written("100.5 9\n101.5 10\n102.5 30\n103.5 12\n104.5 99\n")
    assert_in_delta 12.0, calibration.median_ns(101..104)
  end

  # As an integer it would make a ratio of two speeds 0 or 1.
  def test_the_median_is_between_two_values
    assert_instance_of Float, written("100.5 9\n101.5 10\n102.5 30\n").median_ns(100..103)
  end

  def test_leaves_out_a_line_that_is_half_written
    assert_in_delta 9.0, written("100.5 9\n101.5 1").median_ns(100..102)
  end

  def test_fails_without_any_time_in_the_span
    assert_raises(Bench::Failure) { written("100.5 9\n").median_ns(200..300) }
  end

  def test_the_loop_times_its_work
    Bench::Calibration.run(folder) do |calibration|
      path = File.join(folder, "calibration")
      wait_until { File.read(path).include?("\n") }
      assert_operator calibration.median_ns(0..Float::INFINITY), :>, 100_000
    end
  end

  private

  def written(text)
    path = File.join(folder, "calibration")
    File.write(path, text)
    Bench::Calibration.new(path)
  end
end
