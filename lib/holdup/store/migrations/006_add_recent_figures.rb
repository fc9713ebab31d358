# frozen_string_literal: true

Sequel.migration do
  up do
    # The last rounds of each host's collector, a ring: `slot`: see RecentFigures#slot; `packed`: see
    # RecentFigures::Codec.
    create_table(:recent_figures) do
      primary_key :id, type: :Bignum
      foreign_key :host_id, :hosts, null: false
      Integer :slot, null: false
      Bignum :start_s, null: false, index: true
      File :packed, null: false
      unique %i[host_id slot]
    end
  end
end
