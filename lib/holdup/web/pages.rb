# frozen_string_literal: true

require_relative "pages/advice"
require_relative "pages/blame"
require_relative "pages/calculator"
require_relative "pages/capture"
require_relative "pages/captures"
require_relative "pages/compare"
require_relative "pages/health"
require_relative "pages/jit"
require_relative "pages/overview"
require_relative "pages/processes"
require_relative "pages/unit"
require_relative "pages/units"

module Holdup
  class Web
    # The pages by what stands in the address; the first is where one comes in.
    module Pages
      ALL = {"overview" => Overview, "endpoints" => Endpoints, "jobs" => Jobs, "endpoint" => Unit, "blame" => Blame, "processes" => Processes, "advice" => Advice, "compare" => Compare,
             "calculator" => Calculator, "captures" => Captures, "capture" => Capture, "jit" => Jit, "health" => Health}.freeze
      # Those that every page links to.
      MENU = (ALL.keys - %w[endpoint capture]).freeze
    end
  end
end
