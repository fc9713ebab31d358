# frozen_string_literal: true

require "pg"

module Bench
  # Two sessions of PostgreSQL that watch how long the one row of `accounts` is locked. One waits for it again
  # and again; the other one looks at `pg_locks`. All times are the server's, in seconds since 1970.
  class RowLockWatcher
    TABLE = "CREATE TABLE accounts (level text, began timestamptz, locked timestamptz); " \
      "INSERT INTO accounts DEFAULT VALUES"
    # What a watched transaction does first.
    LOCK = "UPDATE accounts SET level = '%s', began = transaction_timestamp(), locked = clock_timestamp()"
    ROW = "SELECT level, extract(epoch FROM began) AS began, extract(epoch FROM locked) AS locked " \
      "FROM accounts FOR SHARE"
    LOOK = "SELECT extract(epoch FROM clock_timestamp()), (SELECT extract(epoch FROM min(waitstart)) " \
      "FROM pg_locks WHERE NOT granted AND pid = %d)"
    NOW = "SELECT extract(epoch FROM clock_timestamp())"
    ASK_S = 0.002
    LOOK_S = 0.01

    # One transaction: `began_s`: its BEGIN; `from_s`: since when the other session waited for its row;
    # `waited_s`: for how long, by pg_locks
    LockedRow = Data.define(:level, :began_s, :from_s, :waited_s)

    # @param url [String] of the database
    def initialize(url)
      @waiting, @looking = Array.new(2) { PG.connect(url) }
      @waiting.exec(TABLE)
      @rows = []
      @looks = []
    end

    # @yield while it watches
    # @return [Array<LockedRow>] each transaction for whose row the other session had to wait
    def watch
      pid = @waiting.backend_pid
      watching = [Thread.new { repeat(ASK_S) { ask } }, Thread.new { repeat(LOOK_S) { look(pid) } }]
      begin
        yield
      ensure
        @ended = true
        watching.each(&:join)
        [@waiting, @looking].each(&:close)
      end
      locked_rows
    end

    private

    def repeat(interval_s)
      until @ended
        yield
        IO.select(nil, nil, nil, interval_s)
      end
    end

    # Ends when the row is free, and has what the transaction left there.
    def ask
      level, began_s, locked_s = row = @waiting.exec(ROW).values.first
      return if level.nil? || row == @row
      @row = row
      @rows << [level, began_s.to_f, locked_s.to_f, @waiting.exec(NOW).getvalue(0, 0).to_f]
    end

    def look(pid) = @looks << @looking.exec(format(LOOK, pid)).values.first

    def locked_rows
      waits = lock_waits
      @rows.filter_map do |level, began_s, locked_s, free_s|
        from_s, waited_s = waits.find { |start_s, _| start_s.between?(locked_s, free_s) }
        LockedRow.new(level:, began_s:, from_s:, waited_s:) if from_s
      end
    end

    # A wait ended at some time between the last look that saw it and the next one: half way.
    # @return [Hash{Float => Float}] when each wait began, and how long it was
    def lock_waits
      last_looks = @looks.each_cons(2).reject { |(_, from), (_, next_from)| from.nil? || from == next_from }
      last_looks.to_h do |(at, from), (next_at, _)|
        at_s, from_s, next_at_s = [at, from, next_at].map(&:to_f)
        [from_s, (at_s + next_at_s) / 2 - from_s]
      end
    end
  end
end
