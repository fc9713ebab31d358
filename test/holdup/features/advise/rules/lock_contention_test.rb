# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/situations"

module Holdup::Advise::Rules
  class LockContentionTest < Minitest::Test
    include Situations

    def test_who_waits_for_locks
      text = text_of(found = find(GvlRules::LockContention, units: unit("Carts#update", cpu: 5, lock: 20)))
      beginning = /\AWaits for a Mutex, Queue or condition variable take (79|8\d).\d % of all time; .* /
      ending = /in Carts#update\. \[holdup report --full --name .Carts#update.\]\z/
      assert_match(/#{beginning}#{ending}/, text["seen"])
      assert_match(/Another number of threads does not shorten the wait/, text["do"])
      assert_equal :code, found.remedy
    end

    def test_nothing_for_a_little
      assert_nil find(GvlRules::LockContention, units: unit(cpu: 20, lock: 1))
    end
  end
end
