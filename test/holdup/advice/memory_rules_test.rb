# frozen_string_literal: true

require "test_helper"
require_relative "../../support/situations"

module Holdup::Advice
  class MemoryRulesTest < Minitest::Test
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
      told = told(growth)
      assert_equal "The memory of the processes grows with A#leaks.", told["what"]
      assert_match(/30\.0 kB of growth .* 315 MB of the 419 MB/, told["seen"])
    end

    def test_little_growth_or_a_small_part_of_it_is_no_finding
      assert_nil growth(bytes: 10.0 * MIB, grown_bytes: 12 * MIB)
      assert_nil growth(grown_bytes: 4000 * MIB)
      assert_nil find(MemoryRules::GrowingHeap)
    end

    def collecting(gc_share:, live_slots: 812_345)
      samples = container.each { |sample| sample[:live_slots] = live_slots if sample[:pid].positive? }
      situation(units: unit(cpu: 20), samples:) do |sample|
        sample.to_a.reject { |window| window.series.kind == :account }.map do |window|
          gc_ns = (window.histograms[:running].sum * gc_share).round
          empty = Holdup::Window.empty(series: window.series, setting: window.setting, host: window.host,
            start_s: window.start_s, seconds: window.seconds)
          empty.with(sums: empty.sums.merge(gc_ns:))
        end
      end
    end

    def test_much_garbage_collection_asks_for_an_experiment
      told = told(MemoryRules::GcSettings.call(collecting(gc_share: 0.25)))
      assert_match(/takes 33.* % of the time/, told["what"])
      change = /RUBY_GC_HEAP_0_INIT_SLOTS=820000 in some of the processes, with HOLDUP_ARM=gc/
      assert_match(change, told["do"])
    end

    def test_little_collection_or_an_unknown_heap_is_no_finding
      assert_nil MemoryRules::GcSettings.call(collecting(gc_share: 0.05))
      assert_nil MemoryRules::GcSettings.call(collecting(gc_share: 0.25, live_slots: nil))
    end
  end
end
