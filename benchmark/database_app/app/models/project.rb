# frozen_string_literal: true

class Project < ApplicationRecord
  belongs_to :team
  belongs_to :owner, class_name: "User"
  has_many :issues
end
