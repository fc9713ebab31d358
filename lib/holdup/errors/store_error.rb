# frozen_string_literal: true

require_relative "../utf8"
require_relative "error"

module Holdup
  # The store can't do what was asked. Nothing was half written: every write is one transaction. The collector keeps its
  # segments, backs off and tries again, so only the ones marked below need a person.
  class StoreError < Error
    # @return [String] where the store is, without a password
    attr_reader :location

    # @param location [String] URL or path, as shown to the user
    # @param problem [String]
    # @param advice [String]
    # @param subject [String] what it is that has the problem
    def initialize(location:, problem:, advice:, subject: "the store")
      @location = location = Utf8.valid(location)
      super("#{subject} #{location} #{problem}", advice)
    end

    # Another process holds the write lock for too long. Passes by itself.
    class Locked < StoreError
      def initialize(location:, seconds:)
        super(location:, problem: "is locked by another process (waited #{seconds} s)",
              advice: "try again, and stop whatever else writes to it if this stays")
      end
    end

    # No room: the disk, the quota, or the store's own page limit.
    class Full < StoreError
      def initialize(location:)
        super(location:, problem: "is full or its disk is", advice: "free disk space or name another place with --store or HOLDUP_STORE")
      end
    end

    # May be read, may not be written.
    class ReadOnly < StoreError
      def initialize(location:)
        super(location:, problem: "is read-only", advice: "make the file and its folder writable for this user, or name another place with --store or HOLDUP_STORE")
      end
    end

    # Its content is damaged, or it is not a store at all. Needs a person: we never overwrite what we can't read.
    class Corrupt < StoreError
      def initialize(location:, reason:)
        super(location:, problem: "is damaged or is no store of Holdup (#{reason})",
              advice: "move the file away (a new one is made by itself) or restore it from a backup")
      end
    end

    # Somebody else's file. Needs a person: Holdup writes into nothing that is not its own.
    class NotOurs < StoreError
      def initialize(location:, reason:)
        super(location:, subject: "the file", problem: "is no store of Holdup (#{reason})",
              advice: "name another file with --store or HOLDUP_STORE; if it was one, move the file away or restore it from a backup")
      end
    end

    # One row can't be written, or read again; the others can.
    class BadRow < StoreError
      def initialize(location:, reason:)
        super(location:, problem: "can't keep a row (#{reason})", advice: "report it: the row is set aside")
      end
    end

    # Not there, or no right to open it.
    class Unreachable < StoreError
      def initialize(location:, reason:, advice: "check the path and its rights, or name another place with --store or HOLDUP_STORE")
        super(location:, problem: "can't be opened (#{reason})", advice:)
      end
    end

    # Written by a newer Holdup. Needs a person: migrations only go forward.
    class NewerSchema < StoreError
      def initialize(location:, found:, known:)
        super(location:, problem: "has schema #{found}, this Holdup knows up to #{known}",
              advice: "update this Holdup, or name another store with --store or HOLDUP_STORE")
      end
    end

    # Written by an older Holdup and opened only to read.
    class OlderSchema < StoreError
      def initialize(location:, found:, known:)
        super(location:, problem: "has schema #{found}, this Holdup reads #{known}",
              advice: "run holdup collect once, which brings it up to date and keeps what is in it")
      end
    end

    # A URL whose scheme no store answers to.
    class UnknownScheme < StoreError
      def initialize(location:, known:)
        super(location:, problem: "has a scheme we don't know", advice: "use one of: #{known.join(", ")}")
      end
    end
  end
end
