# frozen_string_literal: true

module Holdup
  class Web
    # The pages by their name in the address; the first is the start page.
    module Pages
      ALL = {"overview" => View::Pages::Overview, "endpoints" => View::Pages::Units::Endpoints,
             "jobs" => View::Pages::Units::Jobs, "endpoint" => View::Pages::Unit,
             "blame" => View::Pages::Blame, "fleet" => View::Pages::Fleet,
             "processes" => View::Pages::Processes, "advice" => Advice, "compare" => Compare,
             "calculator" => Calculator, "captures" => Captures, "capture" => Capture,
             "jit" => View::Pages::Jit, "health" => Health}.freeze
      # Those that every page links to.
      MENU = (ALL.keys - %w[endpoint capture]).freeze
    end
  end
end
