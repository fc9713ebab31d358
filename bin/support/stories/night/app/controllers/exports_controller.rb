# frozen_string_literal: true

# What accountants ask for.
class ExportsController < ActionController::Base
  def invoices
    render json: {invoices: InvoiceExport.new.call}
  end
end
