# frozen_string_literal: true

Sequel.migration do
  up do
    # The sizes of blocks without the blocks, for pruning.
    add_index :slowest_units, %i[start_s bytes], name: :slowest_units_sizes

    if database_type == :sqlite # servers add up rows themselves
      # Who waited for whom: a row for each window length, start, setting and host, in place of a row of
      # `windows` for each pair. `pairs`: how many; `packed`: see PairBlocks::Codec.
      create_table(:pair_blocks) do
        primary_key :id, type: :Bignum
        Integer :seconds, null: false
        Bignum :start_s, null: false
        foreign_key :setting_id, :settings, null: false
        foreign_key :host_id, :hosts, null: false
        Integer :pairs, null: false
        File :packed, null: false
        unique %i[seconds start_s setting_id host_id]
      end
      Holdup::Store::Sql::PairBlocks.pack(self)
    end
  end
end
