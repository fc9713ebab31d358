# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/situations"

module Holdup::Advise::Rules
  class MemoryRules::GrowingHeapTest < Minitest::Test
    include Situations

    MIB = 1024 * 1024
    LEAKING = {name: "A#leaks", each_bytes: 30_000.0, error_bytes: 900.0, bytes: 300.0 * MIB,
               grown_bytes: 400 * MIB}.freeze

    Growing = Struct.new(:summary) do
      def heap_growth = [Holdup::Analysis::HeapGrowth::GrowingName.new(**summary)]
    end

    def growth(**shape)
      situation = Situation.new(summary: Growing.new({**LEAKING, **shape}))
      MemoryRules::GrowingHeap.call(situation)
    end

    def test_names_what_makes_the_processes_grow
      text = text_of(growth)
      assert_equal "The memory of the processes grows with A#leaks.", text["what"]
      assert_match(/30\.0 kB of growth .* 315 MB of the 419 MB/, text["seen"])
    end

    def test_little_growth_or_a_small_part_of_it_is_no_finding
      assert_nil growth(bytes: 10.0 * MIB, grown_bytes: 12 * MIB)
      assert_nil growth(grown_bytes: 4000 * MIB)
      assert_nil find(MemoryRules::GrowingHeap)
    end
  end
end
