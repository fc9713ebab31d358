# frozen_string_literal: true

require "test_helper"
require "holdup/capture/vernier_profile"

# With the real gem: test/native/vernier_sampling_test.rb.
class Holdup::Capture::VernierProfileTest < Minitest::Test
  def test_its_signal_is_somebody_elses
    assert_predicate Holdup::Capture::VernierProfile, :free?
    before = trap("PROF") { nil }
    refute_predicate Holdup::Capture::VernierProfile, :free?
  ensure
    trap("PROF", before || "DEFAULT")
  end
end
