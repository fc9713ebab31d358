# frozen_string_literal: true

# Books what the warehouse counted. The mistake it shows: it keeps the only connection while it waits for the
# network, so every request that needs the pool waits as well.
class WarehouseSync
  def initialize
    @sync = Recurring.new("warehouse sync", pause: 0.015) { book }
  end

  delegate :ensure_running, to: :@sync

  private

  def book
    StockLevel.with_connection do
      count = Upstream.get("/counts", delay_ms: 110)
      StockLevel.where(product_id: count.fetch("id")).update_all("on_hand = on_hand")
    end
  end

  SHARED = new
end
