# frozen_string_literal: true

ActiveRecord::ConnectionAdapters.register(
  "distant_sqlite", "Storefront::DistantSQLite", "storefront/distant_sqlite"
)
