# frozen_string_literal: true

# The storefront's Puma for bin/demo: as the shop configures it, and each worker has run all endpoints before
# it serves the first request, so that a short load shows the load and not the boot.
require_relative "warm_up"

configuration = File.expand_path("../../../examples/storefront/config/puma.rb", __dir__)
instance_eval(File.read(configuration), configuration)
before_worker_boot { Demo::WarmUp.new(Rails.application).call }
