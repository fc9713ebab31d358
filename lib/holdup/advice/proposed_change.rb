# frozen_string_literal: true

module Holdup
  module Advice
    # What to write, what it replaces, and what to do then.
    #
    # - `new`: "threads 3, 3"; `old`: "threads 5, 5", nil if the present text is not known
    # - `where`: "config/puma.rb:12", "environment WEB_CONCURRENCY", or nil
    # - `rest`: "then restart (SIGUSR2 to the master)", or nil
    ProposedChange = Data.define(:new, :old, :where, :rest) do
      def initialize(new:, old: nil, where: nil, rest: nil)
        super
      end

      # @return [Array<String>] "- old" and "+ new"; empty if the place is not known
      def diff
        (where && old && old != new) ? ["- #{old}", "+ #{new}"] : []
      end
    end
  end
end
