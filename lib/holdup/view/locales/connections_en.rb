# frozen_string_literal: true

module Holdup
  module View
    module Locales
      # Waits for database connections.
      CONNECTIONS_EN = {
        verdict_connections: "The %<units>s spent %<share>s of their time waiting for a database connection.",
        verdict_connections_kept: "The %<units>s spent %<share>s of their time waiting for a database connection; the pool has %<size>s, " \
          "and %<cause>s kept them for %<held_share>s of the time that they were in use.",
        verdict_connections_outside: "The %<units>s spent %<share>s of their time waiting for a database connection; the pool has %<size>s, " \
          "and threads outside requests and jobs kept them for %<held_share>s of the time that they were in use.",
        remark_connections: "They also spent %<share>s of their time waiting for a database connection.",

        connections: "Database connections",
        wait_each: "wait each", wait_share: "% of time", kept_each: "kept each", kept_share: "% of kept",
        connections_pool: "Pool %<name>s: %<max>s {max:connection|connections} in each process[[; on average %<busy>s {busy:was|were} in use]][[ and %<backlog>s {backlog:request or job|requests or jobs} waited for one]][[ (%<most>s {most:thread|threads} at most, of one look a minute)]].",
        connections_outside: "(threads outside of units)",
        connections_unknown: "How long threads outside of units kept them is not known yet: processes are sampled once a minute.",
        connections_size: "The pool has %<size>s {size:connection|connections} in each process.",
        connections_note: "wait: for a connection while all were in use, a part of sleep. kept: from checkout to checkin, or to the " \
          "unit's end, in each pool from its first wait on; several at a time count each."
      }.freeze
    end
  end
end
