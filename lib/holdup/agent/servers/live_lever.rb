# frozen_string_literal: true

module Holdup
  module Servers
    # What LiveArm asks of a lever: a setting that changes while a process runs. Who includes it has
    # `name`, `configured` (the value that counts without a plan), `set(value)`, `restore` (sets what is
    # configured) and `settled?` (whether the value is true by now), and overrides what differs.
    module LiveLever
      # A collector's round counts what happened since the one before for the arm of now, so an arm begins
      # when a round (10 s) with its value has passed.
      ROUND_S = 15

      # @return [Integer] seconds for which a value must have been true before it is measured
      def steady_s = ROUND_S

      # @return [Boolean] whether this process is too young for its response times to say anything
      def warming_up? = false

      # @return [Boolean] whether this process has had the value from its start, so has not changed it
      def joined?(_value) = false
    end
  end
end
