# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/situations"
require_relative "../../../../support/example_units"

module Holdup::Advise::Rules
  class KeptConnectionsTest < Minitest::Test
    include Situations

    # What the rule reads of a recommendation.
    PumaRecording = Data.define(:kind, :setting, :threads, :time_slice_ns, :figures)
    PumaFigures = Data.define(:unit_samples, :between)
    PumaRecommendation = Data.define(:recording)
    BETWEEN = Holdup::Advise::Sizing::Scenario::DispatchCost.new(held_ns: 0, idle_ns: MS, acquisitions: 1)

    # Requests that take 31 ms; every other one waited for a second, with one in flight.
    def found(version: "6.6.1", server: "puma", threads: 5, concurrency: 1, queued_ms: 1000)
      units = Array.new(100) do |index|
        ExampleUnits.unit_sample(index, concurrency:, queued_ns: index.even? ? queued_ms * MS : MS)
      end
      setting = {"server" => server, "server_version" => version}
      recording = PumaRecording.new(kind: :request, setting:, threads:, time_slice_ns: 100 * MS,
        figures: PumaFigures.new(unit_samples: units, between: BETWEEN))
      find(ThreadRules::KeptConnections, units: unit(cpu: 8),
        recommendation: PumaRecommendation.new(recording:))
    end

    def test_says_what_keeps_threads_and_what_to_set
      text = text_of(found)
      assert_equal "Kept connections keep the threads of Puma 6.6.1 from other requests.", text["what"]
      assert_match(/\AFor 75\.\d % of the response, requests waited in the queue/, text["seen"])
      assert_match(/max_fast_inline 1/, text["do"])
    end

    def test_later_versions_and_other_servers_let_others_go_first
      assert_nil found(version: "7.0.0")
      assert_nil found(server: "unicorn")
    end

    def test_no_finding_where_requests_in_flight_explain_the_queue
      assert_nil found(concurrency: 4), "all threads have one"
      assert_nil found(concurrency: 3, queued_ms: 600), "each may hold the GVL for a time slice"
      assert_nil found(threads: 1, concurrency: 0)
    end

    def test_no_finding_for_short_queues
      assert_nil found(concurrency: 0, queued_ms: 3)
    end
  end
end
