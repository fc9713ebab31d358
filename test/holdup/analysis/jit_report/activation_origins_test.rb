# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::JitReport::ActivationOriginsTest < Minitest::Test
  include JitSamples

  MASTER = {"jit.at": "parent", "jit.parent": "on", "jit.by": "application"}.freeze

  def origins(...) = jits(...).origins

  def test_at_rubys_start
    assert_equal ["RUBYOPT"],
      origins(life(0, "jit.at": "boot", "jit.by": "RUBYOPT"), life(1)).at_start.map(&:by)
    reforking = jit_setting(refork: true)
    assert_empty origins(life(0, "jit.at": "boot", setting: reforking.fingerprint),
      settings: [reforking]).at_start
  end

  def test_what_workers_tell_of_their_master
    {off?: [life(0), life(1)], on?: [life(0, **MASTER)],
     wrong_hook?: [life(0), life(1, **MASTER)]}.each do |expected, lives|
      master = origins(*lives).masters.first
      assert_equal [expected], %i[off? on? wrong_hook?].select { |question| master.public_send(question) }
    end
    assert_equal "application", origins(life(0, **MASTER)).masters.first.by
  end

  def test_does_not_count_other_children_as_workers
    assert_empty origins(life(0, name: "pid 5", **MASTER)).masters
  end
end
