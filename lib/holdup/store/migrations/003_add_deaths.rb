# frozen_string_literal: true

Sequel.migration do
  up do
    # What processes were doing when they died. `source`, `facts` as JSON: see Autopsy. MySQL's text has room
    # for 64 kB, and Sequel's size is for binary columns alone.
    long_text = (database_type == :mysql) ? :mediumtext : :text
    create_table(:deaths) do
      primary_key :id, type: :Bignum
      String :source, size: 120, null: false, unique: true
      Bignum :at_s, null: false, index: true
      column :facts, long_text, null: false
    end
  end
end
