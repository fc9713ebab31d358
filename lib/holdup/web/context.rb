# frozen_string_literal: true

module Holdup
  class Web
    # What a request of the dashboard is answered from. `store` opens the store; `captures`: those that are
    # kept; `ordering`: takes orders for captures, nil where nobody may give any; `refusal`: why it is not
    # answered, mostly nil; `answers`: what the pages that take seconds have computed.
    Context = Data.define(:store, :dir, :captures, :ordering, :clock, :language, :refusal, :answers)
    # Where it is in the Rack environment.
    Context::KEY = "holdup.web"
  end
end
