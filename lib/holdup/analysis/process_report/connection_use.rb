# frozen_string_literal: true

module Holdup
  module Analysis
    class ProcessReport
      # How many connections of a database server all processes may have at the same time: each thread that
      # takes units may have one, as far as its process's pool allows. Processes that replace others are not
      # there at the same time.
      class ConnectionUse
        # @param members [Array<MeasuredProcess>] of all servers and job runners
        def initialize(members)
          @members = members
        end

        # @return [Integer] of all threads
        def most = of(nil)

        # @param kind [Symbol, nil] :request, :job
        # @return [Integer] of the threads that take these
        def of(kind)
          ServerProcesses.at_a_moment(@members) { |member| each(member, kind) }.to_f.round
        end

        # @param kind [Symbol]
        # @return [Integer] of all other threads
        def beside(kind) = most - of(kind)

        private

        def each(member, kind)
          databases, units = member.pools.partition { |pool| pool.name.start_with?(CONNECTIONS) }
          threads = units.select { |pool| pool.takes?(kind) }.sum { |pool| pool.max.to_i }
          [threads, *databases.filter_map(&:max).max].min
        end
      end
    end
  end
end
