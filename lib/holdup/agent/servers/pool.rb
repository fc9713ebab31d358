# frozen_string_literal: true

module Holdup
  module Servers
    # The state of one group of threads that take units (a web server's thread pool, a job runner's capsule or
    # queue group) at one moment. nil is "nobody knows".
    #
    # - `name`: short, because a segment keeps it with each series of jobs
    # - `max`: threads it may have; `busy`: of them at work; `backlog`: units that wait for one
    # - `served`: units that it has finished since it began
    # - `oldest_ns`: how long the one that waits longest has waited
    Pool = Data.define(:name, :max, :busy, :backlog, :served, :oldest_ns) do
      def initialize(name:, max: nil, busy: nil, backlog: nil, served: nil, oldest_ns: nil)
        super(name: self.class.short(name), max:, busy:, backlog:, served:, oldest_ns:)
      end

      # @param name [String]
      # @return [String] as a segment has room for it
      def self.short(name)
        (name.bytesize > self::LONGEST_NAME) ? name.byteslice(0, self::LONGEST_NAME).scrub("") : name
      end

      # @return [Integer, nil] threads that could take a unit now
      def free
        max && busy && [max - busy, 0].max
      end
    end

    Pool::LONGEST_NAME = 64 # Segment::Layout::SERIES_TEXTS[:pool]
  end
end
