# frozen_string_literal: true

# Predictions of other settings and what was measured there: one row for each figure.
Sequel.migration do
  change do
    create_table(:outcomes) do
      primary_key :id
      Integer :at_s, null: false
      String :app, size: 255, null: false
      String :kind, size: 16, null: false
      String :pool, size: 200, null: false
      String :setting, size: 12, null: false
      Integer :from_s, null: false
      Integer :to_s, null: false
      Integer :processes, null: false
      Integer :threads, null: false
      Bignum :time_slice_ns, null: false
      Bignum :units, null: false
      String :figure, size: 16, null: false
      %i[recorded_ns replayed_ns predicted_ns measured_ns].each { |name| Bignum name, null: false }
      unique %i[kind pool setting from_s to_s processes threads time_slice_ns figure app]
    end
  end
end
