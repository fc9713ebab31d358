# frozen_string_literal: true

require_relative "utf8"

module Holdup
  # Root of all errors of Holdup. Its message is one English sentence, which logs and the command line have:
  # what happened and what to do. An error that people meet in other places has a key and facts, too; the
  # locales have its sentences (`error_<key>`, and `error_<fix>` for what to do).
  class Error < StandardError
    attr_reader :problem
    attr_reader :advice
    # @return [Symbol, nil] of what happened, and of what to do
    attr_reader :key, :fix
    # @return [Hash{Symbol => Object}] frozen: values of those sentences
    attr_reader :facts

    # @param problem [String, nil] loses its full stop when advice follows
    def initialize(problem = nil, advice = nil, key: nil, fix: key && :"#{key}_fix", **facts)
      @key = key
      @fix = fix
      @facts = facts.freeze
      problem = problem.sub(/[.。;]+\z/, "") if problem && advice
      @problem = problem
      @advice = advice
      super([problem, advice].compact.join("; ")) if problem || advice
    end
  end

  # The user asked for something we can't understand (exit status 2).
  class UsageError < Error; end

  # Something that works elsewhere can't work on this Ruby or system.
  class UnsupportedError < Error; end

  # Bytes that claim to be ours and are not (a damaged histogram, an unreadable setting).
  class DamagedData < Error; end

  # A setting of Holdup itself has a value it can't have.
  class ConfigurationError < Error
    # @param value [Object] the value that was given
    # @param expected [String] what the setting takes, e.g. "a number of seconds above 0"
    # @param meant [String, nil] the word that was probably meant
    def initialize(key:, value:, expected:, meant: nil)
      hint = " (did you mean #{meant}?)" if meant
      super("#{key} can't be #{value.inspect[0, 200]}", "give #{expected}#{hint}")
    end
  end

  # A file in the segment folder that can't be read as a segment. The collector skips it and logs it once.
  class SegmentError < Error
    # The file has the wrong magic, is too short, or has offsets that point outside of it.
    class NotASegment < SegmentError
      attr_reader :reason

      def initialize(path:, reason:)
        @reason = reason
        super("#{path} is not a segment of Holdup (#{reason})", "remove it if nothing of yours wrote it")
      end
    end

    # The memory of a process that had no tmpfs and ended before a collector opened it.
    class Lost < SegmentError
      def initialize(path:)
        problem = "#{path} led to the memory of a process that ended before the collector saw it, " \
          "its units are lost"
        super(problem, "give Holdup a tmpfs (HOLDUP_DIR, or Docker's --shm-size) and nothing is")
      end
    end

    # The file was written by another version of Holdup.
    class UnknownLayout < SegmentError
      def initialize(path:, found:, known:)
        older = (found > known) ? "collector" : "application"
        super("#{path} has segment layout #{found}, this Holdup reads layout #{known}",
          "restart the #{older} so that both run the same version")
      end
    end
  end

  # The store can't do what was asked. Every write is one transaction, so no write is half done. The collector
  # keeps its segments and retries, so a person is needed only where a comment below says so.
  class StoreError < Error
    OTHER_PLACE = "name another place with --store or HOLDUP_STORE"
    private_constant :OTHER_PLACE

    # @return [String] URL or path, without a password
    attr_reader :location
    # @return [Symbol] what is wrong
    attr_reader :kind

    # @param subject [String] what has the problem
    def initialize(location:, kind:, problem:, advice:, subject: "the store", **facts)
      @location = location = Utf8.valid(location)
      @kind = kind
      super("#{subject} #{location} #{problem}", advice, key: :"store_#{kind}", location:, **facts)
    end

    # @return [Boolean] whether the same may work a moment later, and nothing of it was done
    def passes? = false

    # Another process held the write lock for too long. Passes by itself.
    class Locked < StoreError
      ADVICE = "try again, and stop whatever else writes to it if this stays"
      private_constant :ADVICE

      # @param reason [String, nil] what the database says
      def initialize(location:, seconds: nil, reason: nil, kind: reason ? :database_locked : :locked,
        problem: "is locked by another process (waited #{seconds} s)", advice: ADVICE)
        advice = "#{advice} (#{reason})" if reason
        super(location:, kind:, problem:, advice:, **{seconds:, reason:}.compact)
      end
    end

    # Another thread of this process used the only connection for too long: no other process has a part in it.
    class InUse < Locked
      def initialize(location:, reason:)
        super(location:, reason:, kind: :in_use, problem: "is in use by another thread of this process",
              advice: "try again; give each thread a store of its own if this stays")
      end
    end

    # How far segments were carried is not what the collector has read there: another one has gone on from
    # the same checkpoints, or the store has lost them. It is read before the next attempt.
    class Overtaken < Locked
      # @param lost [Boolean] whether the store has nothing of it: its file was removed or replaced
      def initialize(location:, lost: false)
        problem = "was written to for the same segments by another collector"
        advice = "try again, and let one collector read each folder if this stays"
        if lost
          problem = "was removed or replaced by another one while this collector used it"
          advice = "the one that is there now gets what the segments have; put the old one back if that " \
            "was a mistake"
        end
        super(location:, kind: :overtaken, problem:, advice:)
      end
    end

    # Longer windows are not filled yet, or another collector is filling them.
    class RollingUp < Locked
      def initialize(location:)
        super(location:, kind: :rolling_up, problem: "has a roll-up that is not finished",
              advice: "try again in some minutes")
      end
    end

    # No room: the disk, the quota, or the store's own page limit.
    class Full < StoreError
      ADVICE = "free disk space or #{OTHER_PLACE}".freeze
      private_constant :ADVICE

      # @param reason [String, nil] what the database says
      def initialize(location:, reason: nil, kind: :full, advice: ADVICE)
        words = " (#{reason})" if reason
        super(location:, kind:, problem: "is full or its disk is", advice: "#{advice}#{words}",
              **{reason:}.compact)
      end
    end

    class ReadOnly < StoreError
      ADVICE = "make the file and its folder writable for this user, or #{OTHER_PLACE}".freeze
      private_constant :ADVICE

      # @param reason [String, nil] what the database says
      def initialize(location:, reason: nil, kind: :read_only, advice: ADVICE)
        words = " (#{reason})" if reason
        super(location:, kind:, problem: "is read-only", advice: "#{advice}#{words}", **{reason:}.compact)
      end
    end

    # The process that reads or writes a file has no memory left.
    class OutOfMemory < StoreError
      def initialize(location:, reason:)
        super(location:, kind: :out_of_memory, reason:,
              problem: "can't be used, because this process has no memory left (#{reason})",
              advice: "give it more memory, or ask for a shorter time")
      end
    end

    # The database says what we don't know. It proves no damage.
    class Unexpected < StoreError
      ADVICE = "try again, and report it if it stays"
      private_constant :ADVICE

      def initialize(location:, reason:, kind: :unexpected, advice: ADVICE)
        super(location:, kind:, reason:, problem: "gave an unexpected answer (#{reason})", advice:)
      end
    end

    # Its content is damaged. Needs a person: we never overwrite what we can't read.
    class Corrupt < StoreError
      ADVICE = "move the file away (a new one is made by itself) or restore it from a backup"
      private_constant :ADVICE

      def initialize(location:, reason:, kind: :corrupt, advice: ADVICE)
        problem = "is damaged or is not a store of Holdup (#{reason})"
        super(location:, kind:, reason:, problem:, advice:)
      end
    end

    # A file of another program. Needs a person: Holdup writes only into its own files.
    class NotOurs < StoreError
      ADVICE = "name another file with --store or HOLDUP_STORE; " \
        "if it was a store, move the file away or restore it from a backup"
      private_constant :ADVICE

      def initialize(location:, kind: :no_database, reason: "it is not a SQLite database", **facts)
        super(location:, kind:, subject: "the file", problem: "is not a store of Holdup (#{reason})",
              advice: ADVICE, **facts)
      end
    end

    # One row can't be written or read; the others can.
    class BadRow < StoreError
      def initialize(location:, reason:)
        super(location:, kind: :bad_row, reason:, problem: "can't keep a row (#{reason})",
              advice: "report it: the row is set aside")
      end
    end

    # The store is not there, or this user has no right to open it.
    class Unreachable < StoreError
      ADVICE = "check the path and its rights, or #{OTHER_PLACE}".freeze
      private_constant :ADVICE

      def initialize(location:, reason:, kind: :unreachable, advice: ADVICE, **facts)
        super(location:, kind:, reason:, problem: "can't be opened (#{reason})", advice:, **facts)
      end
    end

    # The default store is in the user's home folder, and this user has none.
    class NoHome < Unreachable
      ADVICE = "set HOLDUP_STORE to a path or the URL of a server, or XDG_STATE_HOME to a folder"
      private_constant :ADVICE

      def initialize
        super(location: "~/.local/state/holdup/holdup.sqlite3", kind: :no_home,
              reason: "this user has no home folder", advice: ADVICE)
      end
    end

    # The path is a folder. `inside`: the store in it, or the path where the collector would make one
    class Folder < Unreachable
      def initialize(location:, inside:)
        super(location:, kind: :folder, reason: "it is a folder",
              advice: "name the file in it: --store #{inside}", inside:)
      end
    end

    # A reader runs before anything was measured, or looks in another place than the collector.
    class Missing < Unreachable
      # @param folder [String, nil] set when the folder is missing too
      def initialize(location:, folder: nil)
        missing = folder ? "the file and the folder #{folder} do not exist" : "the file does not exist"
        created = folder ? "both" : "it"
        super(location:, kind: folder ? :missing_folder : :missing, folder:,
              reason: "#{missing}; the collector creates #{created} " \
                "ten seconds after the first process measures",
              advice: "start the application with Holdup, or #{OTHER_PLACE}; " \
                "`holdup doctor` says what is missing")
      end
    end

    # The collector has made the file but no tables yet. Passes by itself.
    class BeingMade < Unreachable
      def initialize(location:)
        super(location:, kind: :being_made, reason: "it is empty: the collector is just making it")
      end
    end

    # Written by a newer Holdup. Needs a person: migrations only go forward.
    class NewerSchema < StoreError
      def initialize(location:, found:, known:)
        super(location:, kind: :newer_schema, found:, known:,
              problem: "has schema #{found}, this Holdup knows up to #{known}",
              advice: "update this Holdup, or name another store with --store or HOLDUP_STORE")
      end
    end

    class OlderSchema < StoreError
      ADVICE = "run holdup collect once, which brings it up to date and keeps what is in it"
      private_constant :ADVICE

      def initialize(location:, found:, known:, kind: :older_schema, advice: ADVICE)
        super(location:, kind:, found:, known:, problem: "has schema #{found}, this Holdup reads #{known}",
              advice:)
      end
    end

    class UnknownScheme < StoreError
      def initialize(location:, known:)
        super(location:, kind: :unknown_scheme, known: known.join(", "),
              problem: "has a scheme we don't know",
              advice: "use one of: #{known.join(", ")}")
      end
    end
  end
end
