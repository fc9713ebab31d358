# frozen_string_literal: true

require_relative "../recorder"

module Holdup
  module Instrumentation
    # What happens to the connections of a pool, for what hooks into a library's pools: units are charged with
    # their waits and for how long they hold connections, and waits are split among those that held some
    # meanwhile (Probe::ConnectionHolds). Only a unit's own thread counts.
    #
    # Who includes it has @guard and @clock, makes a pool's holds by `begin_holds` at its first wait, and says
    # by `holds_of(pool)` which are its. Connections that are taken or given back before have none.
    module PoolLeases
      # Set on a connection while a thread has it. A table of our own would slow each checkout.
      MARK = :@holdup_holding
      # Likewise: its place in the holds of its pool.
      PLACE = :@holdup_place

      # Keys of a process's profile, once threads have waited in such pools: of a database, and others, of
      # which the value says what class their connections have.
      WAITED_DATABASE = "waited.database"
      WAITED_POOLS = "waited.pools"

      # Measures the block in which a thread waits for a connection.
      # @return [Object] the block's value; its exception (a timeout) passes unchanged
      def waiting(pool)
        unit = unit_of_this_thread
        if unit
          holds = holds_of(pool)
          holds&.wait_begins
          started_ns = @clock.monotonic_ns
        end
        yield
      ensure
        @guard.call(:connection_pool) { charge(unit, holds, started_ns) } if started_ns
      end

      def taken(pool, connection)
        @guard.call(:connection_pool) do
          next if connection.instance_variable_get(MARK)
          unit = unit_of_this_thread
          holding = unit&.holding(@clock) || outside_units
          connection.instance_variable_set(MARK, holding.take)
          connection.instance_variable_set(PLACE, holds_of(pool)&.take(unit&.handle))
        end
      end

      def returned(pool, connection)
        @guard.call(:connection_pool) do
          place = connection.instance_variable_get(PLACE)
          if place
            connection.instance_variable_set(PLACE, nil)
            holds_of(pool)&.give_back(place)
          end
          holding = connection.instance_variable_get(MARK)
          next unless holding
          connection.instance_variable_set(MARK, nil)
          holding.give_back
        end
      end

      private

      # @param connections [Array] in use: who has taken them is not known
      # @return [Probe::ConnectionHolds]
      def begin_holds(connections)
        Probe::ConnectionHolds.new.tap do |holds|
          connections.each do |connection|
            taken = connection.instance_variable_get(PLACE)
            connection.instance_variable_set(PLACE, holds.take_unseen) unless taken
          end
        end
      end

      def charge(unit, holds, started_ns)
        ended_ns = @clock.monotonic_ns
        unit.charge(:pool_wait, ended_ns - started_ns)
        holds&.wait_ends(unit.handle, started_ns, ended_ns)
      end

      def unit_of_this_thread
        unit = Recorder::OpenUnit.current
        unit if unit&.here?
      end

      # A forked child has no connections of its parent's threads.
      def outside_units
        return @outside if @pid == Process.pid
        @pid = Process.pid
        @outside = Recorder::ConnectionHold.new(@clock)
      end
    end
  end
end
