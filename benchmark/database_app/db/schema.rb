# frozen_string_literal: true

ActiveRecord::Schema.verbose = false
ActiveRecord::Schema[8.1].define(version: 1) do
  create_table :teams do |t|
    t.string :name, null: false
  end

  create_table :users do |t|
    t.references :team, null: false
    t.string :name, null: false
    t.string :email, null: false
    t.datetime :created_at, null: false
  end

  create_table :projects do |t|
    t.references :team, null: false
    t.references :owner, null: false
    t.string :name, null: false
    t.text :summary, null: false
  end

  create_table :issues do |t|
    t.references :project, null: false
    t.references :author, null: false
    t.references :assignee, null: false
    t.string :title, null: false
    t.text :body, null: false
    t.string :state, null: false
    t.integer :priority, null: false
    t.integer :estimate_minutes, null: false
    t.date :due_on, null: false
    t.datetime :created_at, null: false
    t.datetime :updated_at, null: false
  end

  create_table :comments do |t|
    t.references :issue, null: false
    t.references :user, null: false
    t.text :body, null: false
    t.datetime :created_at, null: false
  end

  create_table :labels do |t|
    t.string :name, null: false
    t.string :color, null: false
  end

  create_table :labelings do |t|
    t.references :issue, null: false
    t.references :label, null: false
  end
end
