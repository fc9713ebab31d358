# frozen_string_literal: true

# CPU, and all of it under the GVL.
class ReportsController < ApplicationController
  def sales
    render json: SalesReport.load.best_pairs
  end
end
