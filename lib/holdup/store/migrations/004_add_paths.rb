# frozen_string_literal: true

# A path that a series of requests was asked with, where the application keeps such.
Sequel.migration do
  change do
    alter_table(:series) { add_column :path, String, size: 120 }
  end
end
