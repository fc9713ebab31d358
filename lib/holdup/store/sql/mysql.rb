# frozen_string_literal: true

require "digest"

module Holdup
  module Store
    class Sql
      # Everything particular to MySQL (from 8.0 on) and MariaDB (from 10.5 on), with the driver that the URL
      # names. A store has a database of its own.
      #
      # Locks by name belong to the session here, and are released after the transaction that needs them.
      class Mysql < Server
        include Faults

        # Text is compared byte by byte, with its spaces at the end.
        COLLATIONS = {true => "utf8mb4_nopad_bin", false => "utf8mb4_0900_bin"}.freeze
        SQL_MODE = %i[strict_all_tables no_engine_substitution].freeze
        READ_S = 60
        SAMPLE = 500
        ROW_OVERHEAD_BYTES = 200
        BLOBS = Window::HISTOGRAMS
        private_constant :COLLATIONS, :SQL_MODE, :READ_S, :SAMPLE, :ROW_OVERHEAD_BYTES, :BLOBS

        def connect
          driver = @url[/\A\w+/]
          loading(driver) { require driver }
          options = {max_connections: 1, keep_reference: false, encoding: "utf8mb4", sql_mode: SQL_MODE,
                     connect_timeout: CONNECT_S, read_timeout: READ_S, write_timeout: READ_S}
          options[:host] = nil if @url.match?(/[?&]socket=/) # a driver prefers even an empty name
          Sequel.connect(@url, **options).tap { |db| prepare(db) }
        end

        # @param locks [Array<String>] see Server
        # @param alone [Boolean] for a step of roll-up or pruning
        def write(db, locks: [], alone: false)
          holding(db, locks.uniq.sort) do
            db.transaction(isolation: :committed) do
              tiers = db[:tiers].select(:seconds)
              (alone ? tiers.for_update : tiers.lock_style(:share)).all
              yield
            end
          end
        end

        def read(db, &) = db.transaction(isolation: :repeatable, &)

        # @return [Object, nil] the block's value; nil when another collector rolls up or prunes
        def upkeep(db, &)
          return unless lock(db, "upkeep", 0)
          begin
            yield
          ensure
            unlock(db, ["upkeep"])
          end
        end

        # Every statement that makes a table ends a transaction, so a name is locked.
        def migrating(db)
          holding(db, ["migrate"]) do
            if db.tables.empty?
              db.run("ALTER DATABASE CHARACTER SET utf8mb4 COLLATE #{COLLATIONS.fetch(db.mariadb?)}")
            end
            yield
          end
        end

        # Until the end of the transaction, no other adds names.
        # @return [Boolean] true: another process may have added it before
        def lock_catalogs(db)
          take(db, "catalogs") unless @held.include?("catalogs")
          true
        end

        # An estimate of what the rows take: the files of tables never shrink.
        def bytes(db)
          lengths = BLOBS.map { |name| Sequel.function(:length, name) }.reduce(:+)
          sample = db[:windows].reverse(:id).limit(SAMPLE).select(lengths.as(:length))
          size = sample.from_self.avg(:length).to_f + ROW_OVERHEAD_BYTES
          (db[:windows].count * size).round + db[:unit_samples].sum(:bytes).to_i
        end

        # The server cuts a long result off without an error, so sums are made of single windows.
        def concatenates?(_db) = false

        private

        def prepare(db)
          db.run("SET SESSION innodb_lock_wait_timeout = #{[@lock_wait_s.ceil, 1].max}")
          db.run("SET SESSION idle_transaction_timeout = #{IDLE_S}") if db.mariadb?
          kept = true
        ensure
          db.disconnect unless kept
        end

        # Runs the block with these locks, and releases those too that it takes.
        def holding(db, names)
          @held = []
          names.each { |name| take(db, name) }
          yield
        ensure
          unlock(db, @held)
          @held = []
        end

        def take(db, name)
          raise StoreError::Locked.new(location:, seconds: @lock_wait_s) unless lock(db, name, @lock_wait_s)
          @held << name
        end

        def lock(db, name, seconds)
          db.get(Sequel.function(:get_lock, key(db, name), seconds)) == 1
        end

        # A connection that broke has released them.
        def unlock(db, names)
          names.each { |name| db.get(Sequel.function(:release_lock, key(db, name))) }
        rescue Sequel::DatabaseError
          nil
        end

        # At most 64 characters; names are of the whole server.
        def key(db, name)
          "holdup #{Digest::SHA256.hexdigest("#{db.opts[:database]} #{name}")[0, 40]}"
        end
      end
    end
  end
end
