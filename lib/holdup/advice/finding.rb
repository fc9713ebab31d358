# frozen_string_literal: true

module Holdup
  module Advice
    # One thing to do, or to know. A language makes sentences of the key and the facts.
    #
    # - `rule`: which rule found it; `facts`: for its sentences, formatted by their endings (_ns, _share,
    #   _bytes, _rate)
    # - `remedy`: what is to be turned: :setting, :jobs (a setting of theirs), :code, :machine, :scaling or
    #   :measuring. It decides how to verify and to undo
    # - `change`: Change, or nil where there is no line to write
    # - `gain`: by what share it gets better, as far as replays tell, with `interval` (90 %); nil: nobody
    #   knows. `measure` says of what: :latency is queued + stalled at the percentile against the response,
    #   the others are objectives of theirs
    # - `weight`: how much of the units' time it is about, 0.0 .. 1.0, for the order of those without a gain
    # - `limits`: Array of Sizing::Guards::Violation that the change would break, of those that hold now
    Finding = Data.define(:rule, :facts, :remedy, :change, :gain, :interval, :measure, :weight, :limits) do
      def initialize(rule:, facts: {}, remedy: :code, change: nil, gain: nil, interval: nil,
        measure: :latency, weight: 0.0, limits: [])
        super
      end

      # @return [ProposedChange, nil] what may be written
      def line
        limits.empty? ? change : nil
      end

      # @return [Array] findings sorted by it have the largest gain first, then what is about most time
      def rank
        [-(gain || 0.0), -weight, rule.to_s]
      end
    end
  end
end
