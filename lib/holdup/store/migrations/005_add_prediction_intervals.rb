# frozen_string_literal: true

Sequel.migration do
  up do
    # Between which the measurement was expected, see PredictionOutcome::Quantity. Null in rows that were kept
    # without it.
    alter_table(:prediction_outcomes) do
      add_column :lowest_ns, :Bignum
      add_column :highest_ns, :Bignum
    end
  end
end
