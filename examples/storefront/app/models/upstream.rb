# frozen_string_literal: true

require "net/http"

# The supplier's HTTP service, a process of its own.
class Upstream
  # @param delay_ms [Integer] how long the supplier takes to answer
  # @return [Hash] its answer
  def self.get(path, delay_ms:)
    base = Rails.application.config.x.settings.upstream
    response = Net::HTTP.start(base.host, base.port, read_timeout: 5) do |http|
      http.get("#{path}?delay_ms=#{delay_ms}")
    end
    JSON.parse(response.body)
  end
end
