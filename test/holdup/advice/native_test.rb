# frozen_string_literal: true

require "test_helper"
require_relative "../../support/situations"

module Holdup::Advice
  class NativeTest < Minitest::Test
    include Situations

    def test_holds_that_no_slice_ends
      told = told(found = find(Native, units: unit("Images#show", cpu: 900).merge(unit("B#b", cpu: 2, stalled: 60))))
      assert_operator found.facts[:hold_ns], :>, 250 * MS
      assert_match(/\ALongest hold .* at p95, .* at most, .*\[holdup report --name .Images#show.\]\z/, told["seen"])
      assert_match(/a library that lets go of the GVL/, told["do"])
    end

    def test_nothing_where_ruby_gives_way
      assert_nil find(Native, units: unit(cpu: 60, stalled: 20))
      assert_nil find(Native, units: unit("A#a", cpu: 300, starved: 600).merge(unit("B#b", cpu: 2, stalled: 60))), "it had no CPU"
    end
  end
end
