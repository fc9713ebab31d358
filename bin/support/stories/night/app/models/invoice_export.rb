# frozen_string_literal: true

# The year's invoices, read in batches. It keeps all of them until the end: more than a worker may take.
class InvoiceExport
  BATCHES = 400
  BATCH = 1_500
  # Until the database has answered, per batch.
  DATABASE_S = 0.08

  # @param database_s [Numeric]
  def initialize(database_s: DATABASE_S)
    @database_s = database_s
  end

  # @return [Integer] how many there are
  def call
    rows = []
    BATCHES.times { |batch| rows.concat(invoices(batch)) }
    rows.size
  end

  private

  def invoices(batch)
    sleep(@database_s)
    Array.new(BATCH) { |row| invoice(batch * BATCH + row) }
  end

  def invoice(number)
    ["2026-#{number}", "Customer #{number % 5000}", "#{number % 90} Long Street, Springfield, #{number}",
      "#{number % 28 + 1} November", "#{number * 7 % 10_000}.00 EUR", "paid by bank transfer #{number}"]
  end
end
