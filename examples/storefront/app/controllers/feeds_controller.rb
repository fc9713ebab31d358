# frozen_string_literal: true

# Streams: most of the work happens after the action has returned, until the body is closed.
class FeedsController < ApplicationController
  def show
    headers["content-type"] = "application/x-ndjson"
    headers["cache-control"] = "no-cache"
    self.response_body = Enumerator.new { |lines| 4.times { |page| lines << line(page) } }
  end

  private

  def line(page)
    products = Product.order(:id).offset(page * 5).limit(5).pluck(:id, :name)
    "#{{supplier: Upstream.get("/feed", delay_ms: 16), products:}.to_json}\n"
  end
end
