# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::UnitFilterTest < Minitest::Test
  def setting?(attributes, threads: 5)
    Holdup::Analysis::UnitFilter.new(threads:).setting?(Holdup::Setting.new(attributes:))
  end

  def test_threads_of_a_server_or_of_a_job_runner
    assert setting?({"threads" => 5})
    assert setting?({"job_threads" => 5})
    assert setting?({"threads" => 3, "job_threads" => 5})
    assert setting?({"threads" => 3}, threads: nil)
    refute setting?({"threads" => 3, "job_threads" => 10})
    refute setting?({})
  end
end
