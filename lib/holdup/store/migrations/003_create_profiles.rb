# frozen_string_literal: true

# A sample of single units: one row for each ten minutes, setting and host. `seen` is how many it was drawn
# from.
Sequel.migration do
  change do
    create_table(:profiles) do
      primary_key :id, type: :Bignum
      Integer :start_s, null: false
      foreign_key :setting_id, :settings, null: false
      foreign_key :host_id, :hosts, null: false
      Bignum :seen, null: false
      Integer :bytes, null: false
      File :units, null: false
      unique %i[start_s setting_id host_id]
    end
  end
end
