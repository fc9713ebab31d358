# frozen_string_literal: true

# Loaded, and off: an agent without a service to report to would only wait for it.
Rack::MiniProfiler.config.enabled = false
