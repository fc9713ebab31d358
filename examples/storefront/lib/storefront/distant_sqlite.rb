# frozen_string_literal: true

require "active_record/connection_adapters/sqlite3_adapter"
require "socket"

module Storefront
  # SQLite with the distance of a database server. SQLite answers inside the process and keeps the GVL while
  # it does; PostgreSQL and MySQL are a round trip away, and each round trip gives the GVL up and has to win
  # it back. An N+1 only hurts the way it does in production when that trip is there, so every statement makes
  # one to a peer process first.
  class DistantSQLite < ActiveRecord::ConnectionAdapters::SQLite3Adapter
    private

    def perform_query(...)
      round_trip
      super
    end

    def round_trip
      peer.write("?")
      peer.readpartial(1)
    end

    # One socket a connection, as a database driver has; a forked worker never uses its parent's.
    def peer
      return @peer if @peer && @peer_pid == Process.pid
      address = Rails.application.config.x.settings.database_peer
      @peer_pid = Process.pid
      @peer = TCPSocket.new(address.host, address.port).tap do |socket|
        socket.setsockopt(:TCP, :NODELAY, true)
      end
    end
  end
end
