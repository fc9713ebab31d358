# frozen_string_literal: true

# CPU without the GVL: zlib.
class ExportsController < ApplicationController
  def create
    render json: {bytes: CatalogExport::SHARED.compressed_bytes}
  end
end
