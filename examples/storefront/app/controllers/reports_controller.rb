# frozen_string_literal: true

# CPU, and all of it under the GVL.
class ReportsController < ApplicationController
  def sales
    render json: SalesReport.load.best_pairs
  end

  def forecast
    render json: SalesForecast.simulate(params[:cpu_ms].to_i.clamp(0, 1_000))
  end
end
