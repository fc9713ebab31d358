# frozen_string_literal: true

# How far the collector of each host and folder has come.
Sequel.migration do
  change do
    create_table(:collection_states) do
      primary_key :id
      String :host, size: 255, null: false
      String :folder, size: 255, null: false
      Bignum :at_ns, null: false
      String :units, text: true, null: false
      unique %i[host folder]
    end
  end
end
