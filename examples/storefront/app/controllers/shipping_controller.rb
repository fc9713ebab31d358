# frozen_string_literal: true

# Waits for the carrier, and computes next to nothing.
class ShippingController < ApplicationController
  def show
    render json: Upstream.get("/rates/#{params[:id].to_i}", delay_ms: 100)
  end
end
