# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/situations"

module Holdup::Advise::Rules
  class MixedSettingsTest < Minitest::Test
    include Situations

    # @param attributes [Hash] of the setting of further windows
    def find_among(attributes)
      setting = SampleWindows::SETTING.merge(attributes)
      find(RecordingRules::MixedSettings) { |_| SampleWindows.new(setting:).to_a }
    end

    def test_two_settings
      text = text_of(find_among("threads" => 3))
      assert_equal "They differ in: threads=5, threads=3. [holdup report --by setting]", text["seen"]
      assert_equal "nothing was changed", text["undo"]
    end

    def test_settings_that_differ_only_in_the_arm_are_not_mixed
      assert_nil find_among("arm" => "canary")
    end

    def test_a_job_runner_beside_the_web_server_is_no_mix
      assert_nil find_among("server" => nil, "jobs" => "sidekiq")
    end

    def test_one_setting
      assert_nil find(RecordingRules::MixedSettings)
    end
  end
end
