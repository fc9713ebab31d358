# frozen_string_literal: true

class Issue < ApplicationRecord
  CLOSED = "closed"

  belongs_to :project
  belongs_to :author, class_name: "User"
  belongs_to :assignee, class_name: "User"
  has_many :comments
  has_many :labelings
  has_many :labels, through: :labelings

  scope :unfinished, -> { where.not(state: CLOSED) }
  scope :latest, -> { order(updated_at: :desc, id: :desc) }

  def overdue?(day)
    state != CLOSED && due_on < day
  end
end
