# frozen_string_literal: true

require "test_helper"
require "shellwords"
require_relative "../../../../support/situations"

module Holdup::Advise::Rules
  class SituationTest < Minitest::Test
    include Situations

    def query(recording, **options)
      situation(recommendation: recording.recommendation(**options)).query("whatif --threads 3")
    end

    def test_quotes_any_name_as_one_argument_of_a_shell
      asked = situation
      assert_equal "'GET /x'", asked.quoted("GET /x")
      ["a'; echo b; '", "$(echo c) `echo d`", "\\'x"].each do |name|
        assert_equal ["#{asked.literal(name)}=-2"], Shellwords.split(asked.quoted(name, "=-2"))
      end
    end

    # What whatif shows has to be what the finding says.
    def test_a_query_asks_for_what_was_asked_for
      recording = PlayedRecording.new(minutes: 2)
      assert_equal "whatif --threads 3", query(recording)
      objective = Holdup::Advise::Sizing::Objective.new(slo: Holdup::Advise::Sizing::Slo.parse("p99=1s"))
      assert_equal "whatif --threads 3 --slo p99 --load x1.3", query(recording, objective:, factor: 1.3)
      assert_equal "whatif --threads 3 --kind job", query(PlayedRecording.new(kind: :job, minutes: 2))
    end
  end
end
