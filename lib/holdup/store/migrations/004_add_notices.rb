# frozen_string_literal: true

Sequel.migration do
  up do
    # What somebody was told. `source`, `facts` as JSON: see Notice.
    create_table(:notices) do
      primary_key :id, type: :Bignum
      String :source, size: 120, null: false, unique: true
      Bignum :at_s, null: false, index: true
      String :facts, text: true, null: false
    end
  end
end
