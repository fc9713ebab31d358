# frozen_string_literal: true

ActiveRecord::Schema[8.1].define(version: 1) do
  create_table :stock_levels do |t|
    t.integer :product_id, null: false, index: {unique: true}
    t.integer :on_hand, null: false
  end
end
