# frozen_string_literal: true

# Waits for another service.
class QuotesController < ApplicationController
  def show
    render json: Upstream.get("/quotes/#{params[:id].to_i}", delay_ms: 45)
  end
end
