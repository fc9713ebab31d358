# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/situations"

module Holdup::Advise::Rules
  class MemoryHeadroomTest < Minitest::Test
    include Situations

    def test_nearly_full
      text = text_of(find(MachineRules::MemoryHeadroom,
        samples: container(memory_bytes: 1_000_000_000, memory_limit_bytes: 1_000_000_000,
          reclaimable_bytes: 100_000_000)))
      assert_equal "900 MB of 1.00 GB (90.0 %). [holdup report --full]", text["seen"]
      assert_match(/MALLOC_ARENA_MAX=2/, text["do"])
    end

    def test_a_limit_that_the_user_names
      recommendation = advised(PlayedRecording.new(minutes: 2), memory_limit_bytes: 1_000_000_000)
      found = find(MachineRules::MemoryHeadroom, recommendation:,
        samples: container(memory_bytes: 900_000_000, memory_limit_bytes: 4_000_000_000))
      assert_equal [900_000_000, 1_000_000_000], found.facts.values_at(:memory_bytes, :limit_bytes)
    end

    def test_nothing_with_room_or_without_a_limit
      assert_nil find(MachineRules::MemoryHeadroom,
        samples: container(memory_bytes: 500, memory_limit_bytes: 1000, reclaimable_bytes: 100))
      assert_nil find(MachineRules::MemoryHeadroom, samples: container(memory_bytes: 1000))
    end
  end
end
