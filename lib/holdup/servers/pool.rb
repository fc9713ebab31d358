# frozen_string_literal: true

module Holdup
  module Servers
    # The state of one group of threads that take units (a web server's thread pool, a job runner's capsule or queue
    # group) at one moment. nil is "nobody knows".
    #
    # - `max`: threads it may have; `busy`: of them at work; `backlog`: units that wait for one
    # - `served`: units that it has finished since it began
    Pool = Data.define(:name, :max, :busy, :backlog, :served) do
      def initialize(name:, max: nil, busy: nil, backlog: nil, served: nil) = super

      # @return [Integer, nil] threads that could take a unit now
      def free = max && busy && [max - busy, 0].max
    end
  end
end
