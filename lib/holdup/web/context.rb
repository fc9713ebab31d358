# frozen_string_literal: true

module Holdup
  class Web
    # What a request of the dashboard is answered from. `store` opens the store; `refusal`: why it is not answered, mostly nil.
    Context = Data.define(:store, :dir, :clock, :language, :refusal)
    # Where it is in the Rack environment.
    Context::KEY = "holdup.web"
  end
end
