# frozen_string_literal: true

class StockLevel < WarehouseRecord
end
