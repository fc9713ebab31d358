# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/situations"

module Holdup::Advise::Rules
  class CapacityMissingTest < Minitest::Test
    include Situations

    LEVERS = [{"lever.processes.value": 1, "lever.processes.write": "workers N",
               "lever.processes.where": "config/puma.rb:3"}].freeze

    def waiting(sample)
      [sample.window("Slow#q", count: 300,
        histograms: {wall: Holdup::Histogram.of([40 * Situations::MS] * 300),
                     queued: Holdup::Histogram.of([90 * Situations::MS] * 300),
                     stalled: Holdup::Histogram.of([5 * Situations::MS] * 300)})]
    end

    def test_capacity_is_missing_and_one_process_more_is_replayed
      text = text_of(find(MachineRules::CapacityMissing, units: unit(units: 10, cpu: 5), levers: LEVERS,
        recommendation: advised(PlayedRecording.new(minutes: 10))) { |sample| waiting(sample) })
      assert_match(/\AAt p95 \d\d.\d ms queued and \d.\d+ ms waiting for the GVL, .* --full\]\z/,
        text["seen"])
      assert_match(/- workers 1\n\+ workers 2\z/, text["do"])
      assert_match(/\Aqueued \+ GVL wait at the percentile falls by [\d.]+ % of the response/, text["expect"])
    end

    # No change proposes a candidate that a guard rejects.
    one_ruby def test_one_process_more_is_more_than_there_is_memory_for
      recommendation = advised(PlayedRecording.new(minutes: 4), process_bytes: 300_000_000,
        memory_limit_bytes: 500_000_000)
      found = find(MachineRules::CapacityMissing, units: unit(units: 10, cpu: 5), levers: LEVERS,
        recommendation:) { |sample| waiting(sample) }
      text = text_of(found)
      assert_equal [%i[memory], nil], [found.limits.map(&:name), found.line]
      assert_match(/At present this would break a limit \(memory\): see the table\.\z/, text["do"])
    end

    def test_no_finding_without_queue_time
      assert_nil find(MachineRules::CapacityMissing)
    end
  end
end
