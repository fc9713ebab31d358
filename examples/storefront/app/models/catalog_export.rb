# frozen_string_literal: true

require "zlib"

# The catalogue as one big CSV. Compressing it is C code that gives the GVL up: CPU that no other thread waits for.
class CatalogExport
  BYTES = 4 << 20

  def initialize(bytes: BYTES, random: Random.new(42))
    @csv = Array.new(bytes / 32) { |row| format("%07d,%012x,%09d\n", row, random.rand(1 << 48), random.rand(1_000_000)) }.join
  end

  def compressed_bytes = Zlib.deflate(@csv, Zlib::BEST_SPEED).bytesize

  SHARED = new
end
