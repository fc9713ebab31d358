# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/situations"

module Holdup::Advise::Rules
  class MemoryRules::GcSettingsTest < Minitest::Test
    include Situations

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
      text = text_of(MemoryRules::GcSettings.call(collecting(gc_share: 0.25)))
      assert_match(/takes 33.* % of the time/, text["what"])
      change = /RUBY_GC_HEAP_0_INIT_SLOTS=820000 in some of the processes, with HOLDUP_ARM=gc/
      assert_match(change, text["do"])
    end

    def test_little_collection_or_an_unknown_heap_is_no_finding
      assert_nil MemoryRules::GcSettings.call(collecting(gc_share: 0.05))
      assert_nil MemoryRules::GcSettings.call(collecting(gc_share: 0.25, live_slots: nil))
    end
  end
end
