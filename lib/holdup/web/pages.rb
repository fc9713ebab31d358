# frozen_string_literal: true

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
