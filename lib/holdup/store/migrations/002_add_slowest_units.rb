# frozen_string_literal: true

Sequel.migration do
  up do
    # The slowest units of each minute, series, setting and host. `slowest_ns`: of the first of them;
    # `packed`: see SlowestBlock::Codec.
    create_table(:slowest_units) do
      primary_key :id, type: :Bignum
      Bignum :start_s, null: false
      foreign_key :series_id, :series, null: false
      foreign_key :setting_id, :settings, null: false
      foreign_key :host_id, :hosts, null: false
      Bignum :slowest_ns, null: false
      Integer :bytes, null: false
      File :packed, null: false
      unique %i[start_s series_id setting_id host_id]
    end
  end
end
