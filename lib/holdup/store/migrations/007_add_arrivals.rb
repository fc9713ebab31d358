# frozen_string_literal: true

Sequel.migration do
  up do
    # When requests and jobs of each minute, setting and host came. `packed`: see ArrivalBlock::Codec.
    create_table(:arrivals) do
      primary_key :id, type: :Bignum
      Bignum :start_s, null: false
      foreign_key :setting_id, :settings, null: false
      foreign_key :host_id, :hosts, null: false
      Integer :bytes, null: false
      File :packed, null: false
      unique %i[start_s setting_id host_id]
    end
  end
end
