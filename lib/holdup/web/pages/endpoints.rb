# frozen_string_literal: true

module Holdup
  class Web
    module Pages
      # Requests by endpoint.
      class Endpoints < UnitsPage
        KIND = :request
      end
    end
  end
end
