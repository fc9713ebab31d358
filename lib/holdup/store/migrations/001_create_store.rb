# frozen_string_literal: true

# A migration that was released is never changed: stores in the field have already run it. Add the next number
# instead. Columns are written out and not taken from Window, which may grow; what this one made stays what it
# is.
Sequel.migration do
  change do
    create_table(:hosts) do
      primary_key :id
      String :name, size: 255, null: false, unique: true
    end

    create_table(:settings) do
      primary_key :id
      String :fingerprint, size: 12, null: false, unique: true
      String :attributes, text: true, null: false
    end

    create_table(:series) do
      primary_key :id
      String :kind, size: 16, null: false
      String :name, size: 200, null: false
      String :queue, size: 64, null: false, default: ""
      unique %i[kind name queue]
    end

    create_table(:windows) do
      primary_key :id, type: :Bignum
      Integer :seconds, null: false
      Integer :start_s, null: false
      foreign_key :series_id, :series, null: false
      foreign_key :setting_id, :settings, null: false
      foreign_key :host_id, :hosts, null: false
      %i[count errors cpu_ns starved_ns io_ns lock_ns sleep_ns native_ns gc_ns caused_ns acquisitions
        preemptions hold_squares_us2]
        .each { |name|
        Bignum name, null: false
      }
      %i[wall running stalled idle queued longest_hold].each { |name| File name, null: false }
      unique %i[seconds start_s series_id setting_id host_id]
    end

    create_table(:processes) do
      primary_key :id, type: :Bignum
      Integer :at_s, null: false
      foreign_key :host_id, :hosts, null: false
      Integer :pid, null: false
      String :facts, text: true, null: false
      unique %i[at_s host_id pid]
    end

    create_table(:progress) do
      String :segment, size: 255, primary_key: true
      File :state, null: false
    end

    create_table(:tiers) do
      Integer :seconds, primary_key: true
      Bignum :rolled_to_s, null: false, default: 0
      Bignum :kept_from_s, null: false, default: 0
    end
  end
end
