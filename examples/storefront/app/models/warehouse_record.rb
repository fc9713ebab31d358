# frozen_string_literal: true

# The warehouse's database, reached through a pool of one connection.
class WarehouseRecord < ActiveRecord::Base
  self.abstract_class = true

  connects_to database: {writing: :warehouse}
end
