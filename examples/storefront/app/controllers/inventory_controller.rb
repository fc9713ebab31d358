# frozen_string_literal: true

# Waits, with a timeout, for the only connection of a pool.
class InventoryController < ApplicationController
  def show
    WarehouseSync::SHARED.ensure_running
    render json: {on_hand: StockLevel.find_by!(product_id: params[:id]).on_hand}
  end
end
