# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/situations"

module Holdup::Advise::Rules
  class MixedApplicationsTest < Minitest::Test
    include Situations

    def with(facts)
      ->(_) { SampleWindows.new(setting: SampleWindows::SETTING.merge(facts)).to_a }
    end

    def test_two_applications
      assert_equal ["-, admin", "-"],
        find(RecordingRules::MixedApplications,
          &with("app" => "admin")).facts.then { |facts|
          [facts[:apps].scan(/\S+(?= 50 %)/).join(", "),
            facts[:most]]
        }
      assert_nil find(RecordingRules::MixedSettings, &with("app" => "admin"))
    end

    def test_one_application
      assert_nil find(RecordingRules::MixedApplications, &with("threads" => 3))
    end
  end
end
