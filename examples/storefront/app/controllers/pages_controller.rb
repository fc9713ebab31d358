# frozen_string_literal: true

# HTML from ERB.
class PagesController < ActionController::Base
  def home
    @products = Product.order(:id).limit(24)
  end
end
