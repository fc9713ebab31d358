# frozen_string_literal: true

ActiveRecord::Schema[8.1].define(version: 1) do
  create_table :products do |t|
    t.string :name, null: false
    t.integer :price_cents, null: false
    t.string :category, null: false
  end

  create_table :customers do |t|
    t.string :name, null: false
  end

  create_table :orders do |t|
    t.references :customer, null: false
    t.date :placed_on, null: false
  end

  create_table :line_items do |t|
    t.references :order, null: false
    t.references :product, null: false
    t.integer :quantity, null: false
  end
end
