# frozen_string_literal: true

class User < ApplicationRecord
  belongs_to :team
  has_many :comments
  has_many :written, class_name: "Issue", foreign_key: :author_id
  has_many :assigned, class_name: "Issue", foreign_key: :assignee_id
end
