# frozen_string_literal: true

module Holdup
  class Web
    module Pages
      # Jobs by class.
      class Jobs < UnitsPage
        KIND = :job
      end
    end
  end
end
