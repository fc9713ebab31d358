# frozen_string_literal: true

require "sequel"

module Holdup
  module Store
    class Sql
      # The numbered migrations of `store/migrations`, which only run forwards.
      class Schema
        FOLDER = File.expand_path("../migrations", __dir__)
        # Read once: a process that gives its rights up may not read the folder any more.
        VERSIONS = Dir.children(FOLDER).map(&:to_i).freeze

        def initialize(folder: FOLDER)
          @folder = folder
        end

        # The newest version that this Holdup knows.
        def known
          versions = (@folder == FOLDER) ? VERSIONS : Dir.children(@folder).map(&:to_i)
          versions.max
        end

        # 0 for a new store.
        def version(db)
          db.tables.include?(:schema_info) ? db[:schema_info].get(:version) : 0
        end

        # Refuses a store that a newer Holdup wrote, and one that must be migrated first.
        def check(db, dialect)
          found = current(db, dialect)
          raise dialect.unmigrated(found:, known:) if found < known
        end

        # Migrates to the newest version, once even if two processes try at the same time.
        def migrate(db, dialect)
          advance(db) if current(db, dialect) < known
        end

        private

        def current(db, dialect)
          dialect.check_owner(db.tables)
          found = version(db)
          raise StoreError::NewerSchema.new(location: dialect.location, found:, known:) if found > known
          found
        end

        # The migrator reads the version under the write lock, so the loser of a race finds nothing to do. A
        # transaction that only takes the lock when it writes would fail if another process wrote since it
        # began.
        def advance(db)
          Sequel.extension :migration
          db.transaction(mode: :immediate) do
            Sequel::IntegerMigrator.new(db, @folder).run
            add_tiers(db)
          end
        end

        def add_tiers(db)
          missing = Tier.fresh.map(&:to_h).reject { |tier| db[:tiers].where(seconds: tier[:seconds]).any? }
          db[:tiers].multi_insert(missing)
        end
      end
    end
  end
end
