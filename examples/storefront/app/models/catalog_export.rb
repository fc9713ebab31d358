# frozen_string_literal: true

require "zlib"

# The catalogue as one big CSV. Compressing it is C code that gives the GVL up: CPU that no other thread waits
# for.
class CatalogExport
  ROWS = 100_000
  COLUMNS = "SKU-%06d,Product %d,%s,in stock,free returns within 30 days,%d.99 EUR\n"
  CATEGORIES = %w[books garden kitchen music office sports tools toys].freeze

  def initialize(rows: ROWS, random: Random.new(42))
    @csv = Array.new(rows) { |row|
      format(
        COLUMNS, row, row, CATEGORIES.sample(random:), random.rand(200)
      )
    }.join
  end

  def compressed_bytes = Zlib.deflate(@csv).bytesize

  SHARED = new
end
