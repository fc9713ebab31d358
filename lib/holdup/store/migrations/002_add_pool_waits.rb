# frozen_string_literal: true

# Waiting for a database connection, and keeping one from others: parts of units' time that Ruby code tells.
Sequel.migration do
  change do
    alter_table(:windows) do
      add_column :pool_wait_ns, :Bignum, null: false, default: 0
      add_column :pool_held_ns, :Bignum, null: false, default: 0
    end
  end
end
