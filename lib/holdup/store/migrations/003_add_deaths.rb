# frozen_string_literal: true

Sequel.migration do
  up do
    # What processes were doing when they died. `source`, `facts` as JSON: see Autopsy.
    create_table(:deaths) do
      primary_key :id, type: :Bignum
      String :source, size: 120, null: false, unique: true
      Bignum :at_s, null: false, index: true
      String :facts, text: true, size: :medium, null: false
    end
  end
end
