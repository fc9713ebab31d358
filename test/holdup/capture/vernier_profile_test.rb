# frozen_string_literal: true

require "test_helper"
require "holdup/capture/vernier_profile"

# With the real gem: test/native/capture/capture_samples/vernier_test.rb.
class Holdup::Capture::VernierProfileTest < Minitest::Test
  linux def test_is_not_free_while_the_application_traps_its_signal
    assert_predicate Holdup::Capture::VernierProfile, :free?
    before = trap("PROF") { nil }
    refute_predicate Holdup::Capture::VernierProfile, :free?
  ensure
    trap("PROF", before || "DEFAULT")
  end
end
