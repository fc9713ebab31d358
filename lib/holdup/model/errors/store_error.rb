# frozen_string_literal: true

require_relative "../utf8"
require_relative "error"

module Holdup
  # The store can't do what was asked. Nothing was half written: every write is one transaction. The collector
  # keeps its segments, backs off and tries again, so only the ones marked below need a person.
  class StoreError < Error
    # @return [String] where the store is, without a password
    attr_reader :location
    # @return [Symbol] what is wrong with it, for sentences in other languages
    attr_reader :kind
    # @return [Hash{Symbol => Object}] what those sentences take
    attr_reader :facts

    # @param location [String] URL or path, as shown to the user
    # @param kind [Symbol]
    # @param problem [String]
    # @param advice [String]
    # @param subject [String] what it is that has the problem
    # @param facts [Hash{Symbol => Object}]
    def initialize(location:, kind:, problem:, advice:, subject: "the store", **facts)
      @location = location = Utf8.valid(location)
      @kind = kind
      @facts = {location:, **facts}
      super("#{subject} #{location} #{problem}", advice)
    end

    # Another process holds the write lock for too long. Passes by itself.
    class Locked < StoreError
      def initialize(location:, seconds:)
        super(location:, kind: :locked, seconds:, problem: "is locked by another process (waited #{seconds} s)",
              advice: "try again, and stop whatever else writes to it if this stays")
      end
    end

    # No room: the disk, the quota, or the store's own page limit.
    class Full < StoreError
      def initialize(location:)
        super(location:, kind: :full, problem: "is full or its disk is",
              advice: "free disk space or name another place with --store or HOLDUP_STORE")
      end
    end

    # May be read, may not be written.
    class ReadOnly < StoreError
      def initialize(location:)
        super(location:, kind: :read_only, problem: "is read-only",
              advice: "make the file and its folder writable for this user, or name another place with --store or HOLDUP_STORE")
      end
    end

    # Its content is damaged. Needs a person: we never overwrite what we can't read.
    class Corrupt < StoreError
      def initialize(location:, reason:)
        super(location:, kind: :corrupt, reason:, problem: "is damaged or is no store of Holdup (#{reason})",
              advice: "move the file away (a new one is made by itself) or restore it from a backup")
      end
    end

    # Somebody else's file. Needs a person: Holdup writes into nothing that is not its own.
    class NotOurs < StoreError
      ADVICE = "name another file with --store or HOLDUP_STORE; if it was one, move the file away or restore it from a backup"
      private_constant :ADVICE

      def initialize(location:, kind: :no_database, reason: "it is no SQLite database", **facts)
        super(location:, kind:, subject: "the file", problem: "is no store of Holdup (#{reason})", advice: ADVICE, **facts)
      end
    end

    # One row can't be written, or read again; the others can.
    class BadRow < StoreError
      def initialize(location:, reason:)
        super(location:, kind: :bad_row, reason:, problem: "can't keep a row (#{reason})", advice: "report it: the row is set aside")
      end
    end

    # Not there, or no right to open it.
    class Unreachable < StoreError
      ADVICE = "check the path and its rights, or name another place with --store or HOLDUP_STORE"
      private_constant :ADVICE

      def initialize(location:, reason:, kind: :unreachable, advice: ADVICE, **facts)
        super(location:, kind:, reason:, problem: "can't be opened (#{reason})", advice:, **facts)
      end
    end

    # The path of a folder. `inside`: the store in it, or the one that the collector would make there
    class Folder < Unreachable
      def initialize(location:, inside:)
        super(location:, kind: :folder, reason: "it is a folder", advice: "name the file in it: --store #{inside}", inside:)
      end
    end

    # Somebody looks before anything was measured, or at another place than the collector.
    class Missing < Unreachable
      # @param folder [String, nil] that is not there either
      def initialize(location:, folder: nil)
        what = folder ? "and no folder #{folder}; the collector makes both" : "; the collector makes it"
        super(location:, kind: folder ? :missing_folder : :missing, folder:,
              reason: "there is no such file#{" " if folder}#{what} ten seconds after the first process measures",
              advice: "start the application with Holdup, or name another place with --store or HOLDUP_STORE; `holdup doctor` says what is missing")
      end
    end

    # The collector has made the file and nothing in it yet. Passes by itself.
    class BeingMade < Unreachable
      def initialize(location:)
        super(location:, kind: :being_made, reason: "it is empty: the collector is just making it")
      end
    end

    # Written by a newer Holdup. Needs a person: migrations only go forward.
    class NewerSchema < StoreError
      def initialize(location:, found:, known:)
        super(location:, kind: :newer_schema, found:, known:, problem: "has schema #{found}, this Holdup knows up to #{known}",
              advice: "update this Holdup, or name another store with --store or HOLDUP_STORE")
      end
    end

    # Written by an older Holdup and opened only to read.
    class OlderSchema < StoreError
      def initialize(location:, found:, known:)
        super(location:, kind: :older_schema, found:, known:, problem: "has schema #{found}, this Holdup reads #{known}",
              advice: "run holdup collect once, which brings it up to date and keeps what is in it")
      end
    end

    # A URL whose scheme no store answers to.
    class UnknownScheme < StoreError
      def initialize(location:, known:)
        super(location:, kind: :unknown_scheme, known: known.join(", "), problem: "has a scheme we don't know",
              advice: "use one of: #{known.join(", ")}")
      end
    end
  end
end
