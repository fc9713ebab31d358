# frozen_string_literal: true

require_relative "../../../examples/storefront/config/environment"
require_relative "finished_units"

use Soak::FinishedUnits::BegunRequests
run Rails.application
