# frozen_string_literal: true

require "delegate"
require "holdup/loader"
require "minitest/mock"

# Advice and what-if inside this process, as cheap as the tests of what is said can have them: what is sized
# once is shared by all formats, and replays are shorter. How exact they are is the subject of
# test/holdup/sizing.
module CoarseSizing
  Sizing = Holdup::Advise::Sizing
  # Those of PlayedRecording#recommendation.
  SHORT = {rounds: 8, units: 5000}.freeze
  ROUNDS_OF_WHAT_IF = 4
  SHARED = {}

  # A recommendation whose self-test fails, and of whose explanations each has one of these gains.
  Explained = Class.new(SimpleDelegator) do
    def initialize(recommendation, gains)
      super(recommendation)
      @gains = gains
    end

    def reasons = [:self_test]

    def dominance(candidates)
      settings = candidates.map { |one| Sizing::Dominance::ComparedSetting.of(one, @gains) }
      found = Sizing::Dominance::DominanceResult.new(now:, settings:, enough: nil, tried: 40, effective: 30.0,
        events: 1000, percentile: 0.95)
      found if found.decided?
    end
  end

  # @param stored [Array<Object>] what the store is filled with, where nothing else is in it
  # @return [Object] what the block returns
  def share_sizing(*stored, &)
    made = Holdup::Advise::Reader.method(:new)
    shared = lambda do |store, objective:, **asked, &needed|
      key = [stored, objective&.name, objective&.slo, asked, needed.nil?, @coarse]
      SHARED[key] ||= made.call(store, objective:, **asked, &needed)
    end
    Holdup::Advise::Reader.stub(:new, shared, &)
  end

  # Likewise of capacities, which `holdup scale` asks for.
  def share_capacities(*stored, &)
    made = Holdup::Scaling::Reader.method(:new)
    shared = lambda do |store, slo:, **asked|
      key = [:capacities, stored, slo.name, slo.limit_ns, asked]
      -> { SHARED[key] ||= made.call(store, slo:, units: SHORT[:units], **asked).call }
    end
    Holdup::Scaling::Reader.stub(:new, shared, &)
  end

  # @param explained [Array<Float>, nil] gains of what is asked for, as if the self-test failed
  # @return [Object] what the block returns
  def size_coarsely(explained: nil, &)
    @coarse = explained || true
    recommend = Sizing::Recommendation.method(:new)
    compare = Sizing::WhatIf.method(:new)
    shorter = lambda do |*given, **options|
      found = recommend.call(*given, **SHORT, **options)
      explained ? Explained.new(found, explained) : found
    end
    fewer = ->(*given, **options) { compare.call(*given, rounds: ROUNDS_OF_WHAT_IF, **options) }
    Sizing::Recommendation.stub(:new, shorter) { Sizing::WhatIf.stub(:new, fewer, &) }
  ensure
    @coarse = false
  end
end
