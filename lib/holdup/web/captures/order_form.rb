# frozen_string_literal: true

module Holdup
  class Web
    class Captures
      # Asks a process for a capture. `processes`: {pid => name}
      OrderForm = Data.define(:title, :processes) do
        def view = "order"
      end
    end
  end
end
