# frozen_string_literal: true

# What could not be carried or kept, by host, kind and name.
Sequel.migration do
  change do
    create_table(:skipped_rows) do
      primary_key :id
      Integer :at_s, null: false
      String :host, size: 255, null: false
      String :kind, size: 16, null: false
      String :name, size: 200, null: false
      String :reason, size: 200, null: false
      Bignum :count, null: false
      unique %i[host kind name]
    end
  end
end
