# frozen_string_literal: true

module Holdup
  # What somebody was told, see Notify: once for a whole fleet, because the collector whose notice is stored
  # sends it.
  #
  # - `source`: unique: the rule, and when it told something before
  # - `rule`: "stall", "deaths"; `state`: one of STATES; `at_s`: since 1970; `by`: who sends it
  # - `facts`: Hash, what the rule found, for its sentence
  Notice = Data.define(:source, :rule, :state, :at_s, :by, :facts) do
    # @param facts [Hash{Symbol => Object}] as `stored` gives them, from JSON with names as symbols
    # @raise [ArgumentError, TypeError, NoMethodError] for facts that are damaged
    def self.load(source:, at_s:, facts:) = new(source:, at_s:, **facts)

    def initialize(source:, rule:, state:, at_s:, by:, facts: {})
      state = state.to_sym
      raise ArgumentError, "no state #{state}" unless self.class::STATES.include?(state)
      raise ArgumentError, "no facts" unless facts.is_a?(Hash)
      super
    end

    # @return [Hash{Symbol => Object}] what is kept as JSON
    def stored = {rule:, state:, by:, facts:}
  end

  # - began: the rule found something; over: it no longer does
  # - noted: what later findings are compared with, of which nobody is told
  Notice::STATES = %i[began over noted].freeze
  # The store deletes those that are older, and the oldest of more than MOST.
  Notice::KEEP_S = 90 * 86_400
  Notice::MOST = 2000
end
