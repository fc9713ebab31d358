# frozen_string_literal: true

class Comment < ApplicationRecord
  belongs_to :issue
  belongs_to :user

  scope :latest, -> { order(created_at: :desc, id: :desc) }
end
