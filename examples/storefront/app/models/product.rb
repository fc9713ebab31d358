# frozen_string_literal: true

class Product < ApplicationRecord
end
