# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/situations"

module Holdup::Advise::Rules
  class IoThreadsTest < Minitest::Test
    include Situations

    LEVERS = [{"lever.max_io_threads.value": 0,
               "lever.max_io_threads.write": "max_io_threads N",
               "lever.max_io_threads.how": "puma_io_threads",
               "lever.max_io_threads.where": "config/puma.rb:9"}].freeze
    UNITS = {"Slow#quote" => {ms: {cpu: 2, io: 400}, acquisitions: 2, units: 60, blame: 1},
             "Light#show" => {ms: {cpu: 4, io: 8}, acquisitions: 4, units: 240, blame: 1}}.freeze

    def found(levers: LEVERS, threads: 3, units: UNITS)
      shapes = {"Slow#quote" => [0.2, 2, 400, 2], "Light#show" => [0.8, 4, 8, 4]}
      find(ThreadRules::IoThreads, units:,
        recommendation: advised(PlayedRecording.new(shapes:, rate: 12.0, threads:, minutes: 20)), levers:)
    end

    def test_requests_that_only_wait
      text = text_of(found = found())
      assert_equal "Slow#quote mostly waits, and occupies a thread while it does.", text["what"]
      sentence = /\AIt is idle for 99.\d % of its own time and uses \d\d.\d % of the threads. time\. .*/
      command = /\[holdup whatif --io .Slow#quote. --max-io-threads #{found.facts[:best]}\]\z/
      assert_match(/#{sentence}#{command}/, text["seen"])
      beginning = /In config\/puma.rb:9 \(then restart \(SIGUSR2 to the master\); requests that wait call .*/
      ending = /\):\n- max_io_threads 0\n\+ max_io_threads #{found.facts[:best]}\z/
      assert_match(/#{beginning}#{ending}/, text["do"])
      assert_operator found.interval.begin, :>, 0.05
    end

    one_ruby def test_no_finding_before_puma_8_or_without_waits_for_a_thread
      assert_nil found(levers: [])
      assert_nil found(threads: 30)
      assert_nil found(units: unit("Slow#quote", cpu: 20, io: 20))
    end
  end
end
