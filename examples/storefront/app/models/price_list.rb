# frozen_string_literal: true

# Prices shared by all threads, refreshed from the supplier. The mistake it shows: the refresh keeps the lock
# while it waits for the network, so every reader waits for the supplier as well.
class PriceList
  def initialize
    @lock = Mutex.new
    @prices = {}
    @refresh = Recurring.new("price refresh", pause: 0.015) { refresh }
  end

  def price_of(product)
    @refresh.ensure_running
    @lock.synchronize { @prices[product.id] ||= product.price_cents }
  end

  private

  def refresh
    @lock.synchronize { @prices.merge!(Upstream.get("/prices", delay_ms: 110)) }
  end

  SHARED = new
end
