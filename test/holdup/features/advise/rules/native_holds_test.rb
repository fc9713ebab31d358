# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/situations"

module Holdup::Advise::Rules
  class NativeHoldsTest < Minitest::Test
    include Situations

    Setting = Struct.new(:threads)
    Recommendation = Struct.new(:now, :verdict)

    # Nothing is replayed; a process has so many threads.
    def of(threads)
      Recommendation.new(Setting.new(threads), :unknown)
    end

    def long(stalled: 60, **options)
      find(GvlRules::NativeHolds, units: unit("Images#show", cpu: 900).merge(unit("B#b", cpu: 2, stalled:)),
        **options)
    end

    def test_holds_that_no_slice_ends_though_others_wait
      text = text_of(found = long(stalled: 6_000, recommendation: of(5)))
      assert_equal :native, found.rule
      assert_operator found.facts[:hold_ns], :>, 250 * Situations::MS
      beginning = /\ALongest hold .* at p95, .* at most; for each one, others wait .* /
      ending = /and a time slice ends 0\.1\d of its holds\..*\[holdup report --full --name .Images#show.\]\z/
      assert_match(/#{beginning}#{ending}/, text["seen"])
      assert_match(/a library that releases the GVL/, text["do"])
    end

    def test_long_holds_that_others_hardly_wait_for_name_no_c_code
      text = text_of(found = long(recommendation: of(5)))
      assert_equal :long_hold, found.rule
      refute_match(/C code|native/, text["what"])
      assert_match(/do not show whether it is Ruby code or C code/, text["seen"])
      assert_match(/LONG HOLD names the method and what its stacks show/, text["do"])
    end

    # Five waiters for 60 ms each are 300 ms, and no time slice.
    def test_waits_of_many_threads_are_no_longer_than_one_of_them_can_have_waited
      assert_equal :native, long(stalled: 1_500, recommendation: of(2)).rule
      assert_equal :long_hold, long(stalled: 1_500, recommendation: of(10)).rule
    end

    def test_names_no_cause_without_the_number_of_threads
      assert_equal :long_hold, long(stalled: 6_000).rule
    end

    def test_nothing_where_ruby_gives_way
      assert_nil find(GvlRules::NativeHolds, units: unit(cpu: 60, stalled: 20))
      assert_nil find(GvlRules::NativeHolds,
        units: unit("A#a", cpu: 300, starved: 600).merge(unit("B#b", cpu: 2, stalled: 60))),
        "it had no CPU"
    end
  end
end
