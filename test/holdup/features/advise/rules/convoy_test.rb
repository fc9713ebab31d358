# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/sampled_methods"
require_relative "../../../../support/situations"

module Holdup::Advise::Rules
  class ConvoyTest < Minitest::Test
    include Situations

    HEAVY = {"Reports#sales" => {ms: {cpu: 200, stalled: 5}, acquisitions: 6, units: 20, blame: 80}}.freeze

    def units
      HEAVY.merge(unit("Light#show", units: 200, blame: 20, cpu: 2, stalled: 60))
    end

    def test_long_holds
      text = text_of(found = find(GvlRules::Convoy, units:))
      assert_operator found.facts[:hold_ns], :>, 50 * Situations::MS
      sentence = /\AIt causes \d\d.\d % of the GVL wait and is 9.1 % of the requests or jobs; .*/
      command = /\[holdup report --full --name .Reports#sales.\]\z/
      assert_match(/#{sentence}#{command}/, text["seen"])
      assert_match(/Move it to a job or to processes of its own/, text["do"])
    end

    class Methods
      include SampledMethods
    end

    def test_names_the_method_with_its_line_where_it_was_sampled
      methods = Methods.new.sampled_methods
      read = ->(known) { Situation.new(summary: Methods.new.summary(known)) }

      found = GvlRules::Convoy.call(read[methods])
      assert_equal ["SalesReport#rows", "app/models/sales_report.rb:41"], found.facts[:place]
      assert text_of(found)["what"].end_with?(": SalesReport#rows, app/models/sales_report.rb:41.")
      assert_nil GvlRules::Convoy.call(read[[]]).facts[:place]
    end

    one_ruby def test_the_others_without_it_are_replayed
      shapes = {"Reports#sales" => [0.1, 200, 2, 1], "Light#show" => [0.9, 2, 4, 3]}
      found = find(GvlRules::Convoy, units:,
        recommendation: advised(PlayedRecording.new(shapes:, rate: 10.0, minutes: 30, swing: 0.0)))
      assert_operator found.interval.begin, :>, 0.1
      assert_match(/falls by \d\d.\d % of the response/, text_of(found)["expect"])
    end

    one_ruby def test_an_application_with_one_endpoint
      units = {"Reports#sales" => {ms: {cpu: 200, stalled: 60}, acquisitions: 6, units: 20, blame: 80}}
      found = find(GvlRules::Convoy, units:,
        recommendation: advised(PlayedRecording.new(shapes: {"Reports#sales" => [1.0, 200, 2, 1]}, rate: 2.0,
          minutes: 30, swing: 0.0)))
      assert_equal ["Reports#sales", nil], [found.facts[:name], found.gain]
    end

    def test_no_finding_for_short_holds_or_without_stalls
      assert_nil find(GvlRules::Convoy,
        units: unit("A#a", cpu: 10, stalled: 10, blame: 80).merge(unit("B#b", cpu: 2, stalled: 10)))
      assert_nil find(GvlRules::Convoy, units: HEAVY)
    end
  end
end
